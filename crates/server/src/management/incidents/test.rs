//! Sends a test to everybody who is told of incidents, so that an operator sees whether it arrives.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::incidents::send_test;
use crate::management::frame::{Act, ApiError, Identity, Reply};

/// How a test went with one receiver.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestedTarget {
    /// `webhook`, or `mail:` and an address.
    target: String,
    /// Whether it was taken.
    is_sent: bool,
    /// Why not.
    error: Option<String>,
}

/// Sends a test. The list is empty where nobody is configured.
pub(super) async fn test(
    State(app): State<Arc<App>>,
    actor: Identity,
) -> Result<Reply<Vec<TestedTarget>>, ApiError> {
    let told = send_test(&app).await;
    let tested: Vec<TestedTarget> = told
        .into_iter()
        .map(|told| TestedTarget {
            target: told.target,
            is_sent: told.error.is_none(),
            error: told.error.map(|error| error.to_string()),
        })
        .collect();
    let transaction = app.store().write().await?;
    let act = Act {
        action: "incident.test",
        object_kind: "alerts",
        object_id: "all".to_owned(),
        changes: json!({"receivers": {"to": tested.len()}}),
    };
    act.note(&transaction, &actor, app.clock().now_ms()).await?;
    transaction.commit().await?;
    Ok(Reply::of(tested))
}

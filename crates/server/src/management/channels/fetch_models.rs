//! Asking an upstream which models it has.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::subject::{Subject, Trial};
use crate::accounts::DEMO_MODELS;
use crate::app::App;
use crate::channels::Destination;
use crate::management::frame::{ApiError, Input, Reply};

/// What an upstream has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FetchedModels {
    /// The upstream's names; `null` where the vendor has no list.
    models: Option<Vec<String>>,
}

/// Asks for the list of models.
pub(super) async fn fetch(
    State(app): State<Arc<App>>,
    Input(trial): Input<Trial>,
) -> Result<Reply<FetchedModels>, ApiError> {
    let subject = Subject::open(&app, trial).await?;
    let models = models_of(&app, &subject).await;
    let models = models.map_err(|failure| ApiError::bad_gateway(failure.to_string()))?;
    Ok(Reply::of(FetchedModels { models }))
}

/// The upstream's list, by the channel's first key.
pub(super) async fn models_of(
    app: &App,
    subject: &Subject,
) -> Result<Option<Vec<String>>, providers::UpstreamFailure> {
    match &subject.channel.keys[0].destination {
        Destination::Demo(_) => Ok(Some(DEMO_MODELS.map(str::to_owned).to_vec())),
        Destination::Vendor { upstream, egress } => {
            let (outbound, now) = (app.outbound(), app.clock().now());
            providers::fetch_models(upstream, app.signer(), &outbound, egress, now).await
        }
    }
}

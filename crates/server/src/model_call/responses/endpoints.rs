//! Kept answers, for their owner: looked at, listed, cancelled, deleted.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use dialects::responses::input_list;
use serde_json::{Value, json};

use crate::app::App;
use crate::kept_responses::Kept;
use crate::middleware::Caller;
use crate::model_call::call::Call;
use crate::model_call::error::respond;
use crate::model_call::pipeline::{self, Refused};
use crate::model_call::{query, refusals, respond_with};
use crate::tokens::Holder;

const ENDPOINT: &str = "/v1/responses";
/// Items in a list where the client does not say.
const USUAL_ITEMS: usize = 20;
const MOST_ITEMS: usize = 100;

/// `GET /v1/responses/{id}`
pub async fn get(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let look = async |app: &Arc<App>, holder: &Holder| {
        let kept = find(app, holder, &id).await?;
        Ok(Value::Object(kept.response.clone()))
    };
    answer(&app, caller, request, look).await
}

/// `GET /v1/responses/{id}/input_items`
pub async fn input_items(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let uri = request.uri().clone();
    let look = async |app: &Arc<App>, holder: &Holder| {
        let kept = find(app, holder, &id).await?;
        let limit = query::field(&uri, "limit").and_then(|limit| limit.parse().ok());
        let limit: usize = limit.unwrap_or(USUAL_ITEMS);
        let is_ascending = query::field(&uri, "order") == Some("asc");
        let limit = limit.clamp(1, MOST_ITEMS);
        let after = query::field(&uri, "after");
        Ok(input_list(&kept.input, is_ascending, after, limit))
    };
    answer(&app, caller, request, look).await
}

/// `DELETE /v1/responses/{id}`
pub async fn delete(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let look = async |app: &Arc<App>, holder: &Holder| {
        find(app, holder, &id).await?;
        let deleted = app.shelf().delete(app, holder.user_id, &id).await;
        deleted.map_err(|error| refusals::records_away(&error))?;
        Ok(json!({"id": id, "object": "response", "deleted": true}))
    };
    answer(&app, caller, request, look).await
}

/// `POST /v1/responses/{id}/cancel`
pub async fn cancel(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let look = async |app: &Arc<App>, holder: &Holder| {
        let kept = find(app, holder, &id).await?;
        if kept.response.get("background") != Some(&Value::Bool(true)) {
            let text = "Only answers that are made in the background can be cancelled.";
            return Err(Failure::bad_request("id", text));
        }
        if kept.status() != "in_progress" {
            return Ok(Value::Object(kept.response.clone()));
        }
        let cancelled = Kept::clone(&kept).cancelled();
        let moved = app.shelf().advance(app, "in_progress", &cancelled).await;
        let is_moved = moved.map_err(|error| refusals::records_away(&error))?;
        app.shelf().stop(&id);
        let shown = if is_moved {
            cancelled.response
        } else {
            find(app, holder, &id).await?.response.clone()
        };
        Ok(Value::Object(shown))
    };
    answer(&app, caller, request, look).await
}

/// `/v1/responses/compact`: not served, and not to be taken for an answer's id.
pub async fn compact(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let look = async |_: &Arc<App>, _: &Holder| {
        let text = "There is no such path.";
        Err(Failure::new(FailureKind::NotFound, text))
    };
    answer(&app, caller, request, look).await
}

/// Authenticates and answers; nothing here costs anything or is logged as a call.
async fn answer(
    app: &Arc<App>,
    caller: Caller,
    request: Request,
    look: impl AsyncFnOnce(&Arc<App>, &Holder) -> Result<Value, Failure>,
) -> Response {
    let request_id = caller.request_id.clone();
    let (call, _) = Call::new(DialectId::Responses, ENDPOINT, caller, request);
    let outcome = match pipeline::begin(app, Arc::new(call)).await {
        Ok(settlement) => {
            let holder = Arc::clone(&settlement.known().holder);
            settlement.forget();
            look(app, &holder).await.map_err(Refused::from)
        }
        Err(refused) => Err(refused),
    };
    match outcome {
        Ok(body) => respond_with::json(body.to_string()),
        Err(Refused::Failure(failure)) => respond(&failure, DialectId::Responses, &request_id),
        Err(Refused::Response(response) | Refused::Done(response)) => *response,
    }
}

async fn find(app: &Arc<App>, holder: &Holder, id: &str) -> Result<Arc<Kept>, Failure> {
    let found = app.shelf().find(app, holder.user_id, id).await;
    let found = found.map_err(|error| refusals::records_away(&error))?;
    found.ok_or_else(|| {
        let text = format!("The response `{id}` was not found.");
        Failure::new(FailureKind::NotFound, text)
    })
}

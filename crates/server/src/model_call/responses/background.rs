//! Answers that are made in the background: the client gets a promise at once and looks for the
//! answer later. The call runs through the pipeline like any other, in a task that a stop waits for.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use dialects::canonical::Failure;
use dialects::responses::input_items;
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};

use super::earlier;
use super::renamed::new_id;
use crate::app::App;
use crate::kept_responses::Kept;
use crate::model_call::call::Call;
use crate::model_call::{pipeline, refusals, respond_with, text};
use crate::telemetry::RequestScope;
use crate::tokens::Holder;

/// Accepts a call for the background.
pub async fn begin(
    app: &Arc<App>,
    call: &Call,
    holder: &Holder,
    mut request: Map<String, Value>,
) -> Result<Response, Failure> {
    if request.get("stream") == Some(&Value::Bool(true)) {
        let text = "`background` and `stream` cannot be combined.";
        return Err(Failure::unsupported("stream", text));
    }
    if request.get("store") == Some(&Value::Bool(false)) {
        let text = "`background` needs `store`: the answer is looked for later.";
        return Err(Failure::bad_request("store", text));
    }
    let previous = request.get("previous_response_id").and_then(Value::as_str);
    let previous = previous.map(str::to_owned);
    earlier::put_into(&mut request, app, holder, previous.as_deref()).await?;
    let id = new_id(app);
    let kept = Kept {
        input: input_items(&request, &id)?,
        response: promise(app, &id, &request, previous.as_deref()),
        previous_id: previous,
        id,
    };
    let written = app.shelf().promise(app, holder.user_id, &kept).await;
    written.map_err(|error| refusals::records_away(&error))?;
    let body = Value::Object(kept.response.clone()).to_string();
    start(app, call, request, kept);
    Ok(respond_with::json(body))
}

/// What the client gets at once.
fn promise(
    app: &App,
    id: &str,
    request: &Map<String, Value>,
    previous: Option<&str>,
) -> Map<String, Value> {
    let promised = json!({
        "id": id,
        "object": "response",
        "created_at": app.clock().now_ms() / 1000,
        "status": "in_progress",
        "background": true,
        "error": null,
        "incomplete_details": null,
        "instructions": request.get("instructions"),
        "model": request.get("model"),
        "output": [],
        "previous_response_id": previous,
        "store": true,
        "usage": null,
        "metadata": request.get("metadata").cloned().unwrap_or_else(|| json!({})),
    });
    match promised {
        Value::Object(promised) => promised,
        _ => Map::new(),
    }
}

/// Runs the call beside the requests.
fn start(app: &Arc<App>, call: &Call, mut request: Map<String, Value>, kept: Kept) {
    request.shift_remove("background");
    // It is kept under the id that was promised, not under the upstream's.
    request.insert("store".to_owned(), Value::Bool(false));
    let call = Call {
        is_encoded: false,
        ..call.clone()
    };
    let (app, call) = (Arc::clone(app), Arc::new(call));
    let id = kept.id.clone();
    let running = app.stop().running().clone();
    let shelf = Arc::clone(&app);
    let work = async move {
        let body = Body::from(Value::Object(request).to_string());
        let answered = async {
            let answer = pipeline::run(&app, call, body, text::read).await;
            answer_of(answer.response).await
        };
        // Cut with the process it runs in, it has failed: nobody would ever finish it.
        let finished = match app.stop().unless_cut(answered).await {
            Some(Ok(answer)) => kept.answered(answer),
            Some(Err(said)) => kept.failed(said.as_ref()),
            None => kept.left(),
        };
        // Whoever cancelled it was faster.
        if let Err(error) = app.shelf().advance(&app, "in_progress", &finished).await {
            tracing::error!(%error, id = finished.id, "an answer could not be kept");
        }
        app.shelf().finished(&finished.id);
    };
    let task = running.spawn(RequestScope::current().around(work));
    if !task.is_finished() {
        shelf.shelf().started(&id, task.abort_handle());
    }
}

/// What a response says: an answer, or at best an error.
async fn answer_of(response: Response) -> Result<Map<String, Value>, Option<Value>> {
    let is_good = response.status().is_success();
    let body = response.into_body().collect().await;
    let body = body.map(http_body_util::Collected::to_bytes);
    let said = body
        .ok()
        .and_then(|body| serde_json::from_slice::<Map<String, Value>>(&body).ok());
    match said {
        Some(answer) if is_good => Ok(answer),
        said => Err(said.and_then(|mut said| said.remove("error"))),
    }
}

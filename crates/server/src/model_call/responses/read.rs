//! Reads a call of the responses format: an earlier answer that it goes on from is put before it, items that it only
//! names in their place, and a call for the background is handed over there.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::responses::input_items;
use dialects::scan::scan;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::keeping::Keeping;
use super::renamed::{Names, new_id};
use super::{background, earlier};
use crate::app::App;
use crate::model_call::body::json_body;
use crate::model_call::call::Call;
use crate::model_call::pipeline::Refused;
use crate::model_call::refusals;
use crate::model_call::spelled::Spelled;
use crate::model_call::task::Task;
use crate::model_call::text::TextTask;
use crate::model_call::vendor_state;

/// What a request says about keeping.
#[derive(Debug, Default, Deserialize)]
struct Wishes {
    #[serde(default)]
    store: Option<bool>,
    #[serde(default)]
    background: Option<bool>,
    #[serde(default)]
    previous_response_id: Option<String>,
}

/// Reads a call of the responses format.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let mut found = scan(call.dialect, &body)?.into_owned();
        let missing = || Failure::bad_request("model", "`model` is required.");
        let model = found.model.take().filter(|model| !model.is_empty());
        let model: Arc<str> = model.ok_or_else(missing)?.into();
        let mut spelled = Spelled::out(call.dialect, body, found, scan)?;
        let body = &spelled.body;
        let counts = app.config().limits.counts();
        spelled.scan.check_counts(body, &counts)?;
        let has_items = vendor_state::check(app, call.dialect.into(), &spelled.sighted, body)?;
        let wishes: Wishes = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
        let keeps = wishes.store != Some(false);
        let previous = wishes.previous_response_id;
        let is_whole = previous.is_none() && !has_items;
        if !keeps && is_whole && wishes.background != Some(true) {
            let task = TextTask::new(call, model, spelled)?;
            return Ok(Box::new(task) as Box<dyn Task>);
        }
        let holder = call.holder.as_ref().ok_or_else(refusals::no_holder)?;
        let mut request: Map<String, Value> =
            serde_json::from_slice(body).map_err(|error| wrong(&error))?;
        if wishes.background == Some(true) {
            let accepted = background::begin(app, call, holder, request).await?;
            return Err(Refused::Done(Box::new(accepted)));
        }
        if earlier::put_into(&mut request, app, holder, previous.as_deref()).await? {
            let body = serde_json::to_vec(&request).map_err(|error| wrong(&error))?;
            let found = scan(call.dialect, &body)?.into_owned();
            spelled = Spelled::out(call.dialect, body.into(), found, scan)?;
        }
        spelled.scan.check_counts(&spelled.body, &counts)?;
        let mut task = TextTask::new(call, model, spelled)?;
        task.previous_id.clone_from(&previous);
        if keeps {
            task.keeping = Some(Keeping {
                app: Arc::clone(app),
                user: holder.user_id,
                names: Names {
                    id: new_id(app),
                    previous_id: previous,
                },
                input: input_items(&request, &call.caller.request_id)?,
            });
        }
        Ok(Box::new(task))
    })
}

/// A body with the earlier exchange put before its own input, and items that it only names in their place; nothing where
/// there are none.
pub async fn resumed(
    app: &App,
    call: &Call,
    body: &[u8],
    has_items: bool,
) -> Result<Option<Bytes>, Failure> {
    let wishes: Wishes = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
    let previous = wishes.previous_response_id.as_deref();
    if previous.is_none() && !has_items {
        return Ok(None);
    }
    let holder = call.holder.as_ref().ok_or_else(refusals::no_holder)?;
    let mut request = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
    if !earlier::put_into(&mut request, app, holder, previous).await? {
        return Ok(None);
    }
    let resumed = serde_json::to_vec(&request).map_err(|error| wrong(&error))?;
    Ok(Some(resumed.into()))
}

fn wrong(error: &serde_json::Error) -> Failure {
    let text = "`store`, `background` and `previous_response_id` must be what their names say.";
    tracing::debug!(%error, "a request of the responses format cannot be read");
    Failure::bad_request("body", text)
}

//! Reads the body of a text call: what routing and metering need, in one pass. The rest is read
//! only where an upstream speaks another dialect than the client.

use std::sync::Arc;

use axum::body::Body;
use dialects::DialectId;
use dialects::canonical::Failure;
use dialects::scan;
use futures_util::future::BoxFuture;

use super::task::TextTask;
use crate::app::App;
use crate::model_call::body::{check_depth, whole_body};
use crate::model_call::call::Call;
use crate::model_call::pipeline::Refused;
use crate::model_call::spelled::Spelled;
use crate::model_call::task::Task;
use crate::model_call::vendor_state;

/// Reads a call of text generation.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = whole_body(call, body).await?;
        let scanned = scan::scan(call.dialect, &body);
        let limits = &app.config().limits;
        let most = limits.json_depth;
        if scanned.as_ref().map_or(true, |scan| scan.depth() > most) {
            // What nests too deep is no JSON to a scan; it deserves to be told so.
            check_depth(app, &body)?;
        }
        let mut scan = scanned?;
        let model = match call.dialect {
            DialectId::GenerateContent => call.path.model.clone().map(Into::into),
            _ => scan.model.take(),
        };
        let model = model.filter(|model| !model.is_empty());
        let missing = || Failure::bad_request("model", "`model` is required.");
        let model = model.ok_or_else(missing)?.into();
        let scanned = scan.into_owned();
        let spelled = Spelled::out(call.dialect, body, scanned, scan::scan)?;
        spelled.scan.check_counts(&spelled.body, &limits.counts())?;
        let surface = call.dialect.into();
        vendor_state::check(app, surface, &spelled.sighted, &spelled.body)?;
        let task: Box<dyn Task> = Box::new(TextTask::new(call, model, spelled)?);
        Ok(task)
    })
}

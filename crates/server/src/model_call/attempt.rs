//! One try on one channel.

use dialects::canonical::{Failure, FailureKind, Reply, Request};

use super::call::Call;
use crate::app::App;
use crate::channels::Place;
use crate::demo;

/// Asks the channel's upstream for an answer.
pub fn attempt(app: &App, call: &Call, place: &Place, request: &Request) -> Result<Reply, Failure> {
    if *place.channel.provider == *demo::PROVIDER {
        let created = u64::try_from(app.clock().now_ms() / 1000).unwrap_or(0);
        let id = format!("demo-{}", call.caller.request_id);
        return Ok(demo::answer(request, &place.upstream_model, &id, created));
    }
    let text = format!(
        "The channel for `{}` cannot be used by this version.",
        request.model
    );
    Err(Failure::new(FailureKind::Overloaded, text))
}

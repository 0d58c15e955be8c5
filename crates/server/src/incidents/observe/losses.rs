//! Losses of the operator: calls that used more than was reserved for them, when the wallet could not pay the rest.

use billing::pricing::format_dollars;
use billing::wallet::Loss;
use serde_json::json;
use store::incidents::Severity;

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;
use crate::config::IncidentsConfig;

/// Looks at the losses of the last window, one finding for each channel.
pub(in crate::incidents) fn losses(app: &App, config: &IncidentsConfig, now: i64) -> Vec<Finding> {
    let since = now - i64::from(config.window_s) * 1000;
    let losses = app.wallets().losses_since(since);
    losses.iter().map(finding).collect()
}

fn finding(loss: &Loss) -> Finding {
    let (calls, model) = (loss.calls, &loss.model);
    let (excess, uncovered) = (
        format_dollars(loss.excess_nanos),
        format_dollars(loss.loss_nanos),
    );
    let title = "Usage exceeded its reservation".to_owned();
    let summary = format!(
        "Calls that could not be charged in full: {calls}, the last one of the model {model}. Cost beyond the \
         reservations: {excess} dollars. Not charged, a loss of the operator: {uncovered} dollars."
    );
    let facts = json!({
        "model": model.as_str(),
        "request_id": loss.request_id.as_str(),
        "calls": calls,
        "excess_usd": excess,
        "loss_usd": uncovered,
    });
    let channel = loss.channel_id.map_or(0, |id| id.0);
    let texts = (title, summary);
    let mut finding =
        Finding::of_service(Rule::ReservationExceeded, Severity::Warning, texts, facts)
            .about(format!("channel:{channel}"));
    finding.channel_id = loss.channel_id;
    finding.model = Some(model.as_str().to_owned());
    finding
}

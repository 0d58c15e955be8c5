//! Channels in trouble, and models that nobody serves because of it.

use serde_json::json;
use store::channels::ChannelState;
use store::incidents::Severity;

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::channels::{Channel, Snapshot, Trouble};

/// Most names of models that an incident lists.
const MOST_NAMES: usize = 100;

/// Looks at all channels.
pub(in crate::incidents) fn channels(snapshot: &Snapshot) -> Vec<Finding> {
    let troubles = snapshot.troubles();
    let unserved = snapshot.unserved_models(&troubles);
    let mut findings: Vec<Finding> = troubles
        .iter()
        .map(|trouble| down(trouble, &unserved))
        .collect();
    let is_up = |channel: &&std::sync::Arc<Channel>| {
        channel.state == ChannelState::On && channel.down_because().is_none()
    };
    let refused = snapshot.channels().filter(is_up);
    findings.extend(refused.filter_map(|channel| refused_keys(channel)));
    if !unserved.is_empty() {
        findings.push(nobody_serves(&unserved, &troubles));
    }
    findings
}

fn down(trouble: &Trouble, unserved: &[String]) -> Finding {
    let left_alone = trouble
        .models
        .iter()
        .filter(|model| unserved.contains(model));
    let left_alone: Vec<&String> = left_alone.take(MOST_NAMES).collect();
    let severity = if left_alone.is_empty() {
        Severity::Warning
    } else {
        Severity::Critical
    };
    let consequence = match left_alone.len() {
        0 => "Its models are served by other channels.".to_owned(),
        1 => format!("Nobody else serves {}.", left_alone[0]),
        count => format!("Nobody else serves {count} of its models."),
    };
    Finding {
        rule: Rule::ChannelDown,
        cause: format!("channel:{}", trouble.id),
        severity,
        title: format!("Channel {} is down", trouble.name),
        summary: format!("{} {consequence}", sentence(&trouble.reason)),
        channel_id: Some(trouble.id),
        model: None,
        facts: json!({
            "channel": trouble.name,
            "reason": trouble.reason,
            "provider": trouble.provider,
            "models": trouble.models.iter().take(MOST_NAMES).collect::<Vec<_>>(),
            "unserved_models": left_alone,
        }),
    }
}

fn refused_keys(channel: &Channel) -> Option<Finding> {
    let refused = channel.refused_keys();
    let (_, reason) = refused.first()?;
    let (count, all) = (refused.len(), channel.keys.len());
    Some(Finding {
        rule: Rule::KeyRefused,
        cause: format!("channel:{}", channel.id),
        severity: Severity::Warning,
        title: format!("Channel {} has lost {count} of {all} keys", channel.name),
        summary: sentence(reason),
        channel_id: Some(channel.id),
        model: None,
        facts: json!({
            "channel": &*channel.name,
            "reason": reason,
            "provider": *channel.provider,
            "keys": refused.iter().map(|(index, _)| index).collect::<Vec<_>>(),
            "all_keys": all,
        }),
    })
}

fn nobody_serves(unserved: &[String], troubles: &[Trouble]) -> Finding {
    let title = match unserved {
        [one] => format!("Nobody serves {one}"),
        many => format!("Nobody serves {} models", many.len()),
    };
    let named: Vec<&str> = unserved.iter().take(5).map(String::as_str).collect();
    let more = if unserved.len() > 5 { ", …" } else { "" };
    let summary = format!("Every channel is down for {}{more}.", named.join(", "));
    let facts = json!({
        "models": unserved.iter().take(MOST_NAMES).collect::<Vec<_>>(),
        "all_models": unserved.len(),
        "channels": troubles.iter().map(|trouble| &trouble.name).collect::<Vec<_>>(),
    });
    let mut finding = Finding::of_service(
        Rule::ModelUnserved,
        Severity::Critical,
        (title, summary),
        facts,
    );
    if let [one] = unserved {
        finding.model = Some(one.clone());
    }
    finding
}

/// A reason as a sentence of its own.
fn sentence(reason: &str) -> String {
    let reason = reason.trim().trim_end_matches('.');
    let mut letters = reason.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

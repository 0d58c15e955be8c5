//! The frames around a streamed answer's content: its head, and its end with finish and usage.

use super::reply_write::write_finish;
use super::usage;
use crate::canonical::{Finish, Usage};
use crate::{ReplyContext, json};

/// What is known of the answer as a whole.
#[derive(Debug)]
pub(super) struct Head {
    id: String,
    model: String,
    estimated_input: u64,
    usage: Option<Usage>,
    tier: Option<String>,
    /// Whether the first frame has told the tier.
    tier_told: bool,
}

impl Head {
    /// What is known before the upstream has said anything.
    pub(super) fn new(context: &ReplyContext) -> Self {
        Self {
            id: context.id.clone(),
            model: context.model.clone(),
            estimated_input: context.estimated_input,
            usage: None,
            tier: None,
            tier_told: false,
        }
    }

    /// Takes over the upstream's own names.
    pub(super) fn name(&mut self, id: &str, model: &str) {
        for (mine, theirs) in [(&mut self.id, id), (&mut self.model, model)] {
            if !theirs.is_empty() {
                theirs.clone_into(mine);
            }
        }
    }

    /// Takes over a report of the usage so far.
    pub(super) fn merge(&mut self, usage: &Usage) {
        self.usage.get_or_insert_default().merge(usage);
    }

    /// Takes over the tier.
    pub(super) fn set_tier(&mut self, tier: &str) {
        self.tier = Some(tier.to_owned());
    }

    /// Writes the first frame. Agents take their context meter from its input count, so a count of
    /// the request stands in where the upstream has told none yet.
    pub(super) fn write_start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"event: message_start\ndata: ");
        out.extend_from_slice(br#"{"type":"message_start","message":{"id":"#);
        json::write_str(out, &self.id);
        out.extend_from_slice(br#","type":"message","role":"assistant","model":"#);
        json::write_str(out, &self.model);
        let rest = br#","content":[],"stop_reason":null,"stop_sequence":null,"usage":"#;
        out.extend_from_slice(rest);
        let mut known = self.usage.clone().unwrap_or_default();
        known.input = known.input.or(Some(self.estimated_input));
        self.write_counts(&known, out);
        self.tier_told = self.tier.is_some();
        out.extend_from_slice(b"}}\n\n");
    }

    /// Writes the last two frames.
    pub(super) fn write_end(&self, finish: &Finish, called: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(b"event: message_delta\ndata: ");
        out.extend_from_slice(br#"{"type":"message_delta","delta":{"#);
        write_finish(finish, called, false, out);
        out.extend_from_slice(br#"},"usage":"#);
        let estimate = || Usage {
            input: Some(self.estimated_input),
            ..Usage::default()
        };
        let counted = self.usage.clone().unwrap_or_else(estimate);
        self.write_counts(&counted, out);
        out.extend_from_slice(b"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    }

    /// Writes usage, with the tier where it has not been told yet.
    fn write_counts(&self, usage: &Usage, out: &mut Vec<u8>) {
        let tier = self.tier.as_deref().filter(|_| !self.tier_told);
        let tier = tier.and_then(|tier| usage::tier(tier, false));
        usage::write(usage, tier, out);
    }
}

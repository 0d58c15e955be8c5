//! Whose model it is: Converse is one format, but what makers have beside it (thinking, caches, top-k)
//! is told by the model's name.

use dialects::canonical::{Effort, Reasoning, ReasoningMode};
use dialects::{Capabilities, DialectId, ThinkingStyle};
use serde_json::{Value, json};

/// Models that are told alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Anthropic's.
    Claude,
    /// Amazon's second generation, which reasons.
    Nova2,
    /// Amazon's first.
    Nova,
    /// All others, and names that do not tell (a profile's resource name).
    Other,
}

impl Family {
    /// The family of this model's id, with or without a region before it.
    pub(super) fn of(model: &str) -> Self {
        if model.contains("anthropic.") {
            Self::Claude
        } else if model.contains("amazon.nova-2") {
            Self::Nova2
        } else if model.contains("amazon.nova") {
            Self::Nova
        } else {
            Self::Other
        }
    }

    /// What the passes may leave in a request to any of its models.
    fn capabilities(self) -> Capabilities {
        let thinking = match self {
            Self::Claude => ThinkingStyle::Budget,
            Self::Nova2 => ThinkingStyle::Effort,
            Self::Nova | Self::Other => ThinkingStyle::None,
        };
        let efforts = match self {
            Self::Nova2 => ["low", "medium", "high"].map(str::to_owned).to_vec(),
            _ => Vec::new(),
        };
        Capabilities {
            thinking,
            efforts,
            // A schema is met by a tool that the model is made to call.
            structured_output: false,
            audio: false,
            ..Capabilities::default()
        }
    }

    /// Whether it keeps a prompt's beginning where it is marked; others refuse the mark.
    pub(super) fn caches(self) -> bool {
        self != Self::Other
    }

    /// Top-k as its maker takes it.
    pub(super) fn top_k(self, top_k: &serde_json::Number) -> Option<(&'static str, Value)> {
        match self {
            Self::Claude => Some(("top_k", json!(top_k))),
            Self::Nova | Self::Nova2 => Some(("inferenceConfig", json!({ "topK": top_k }))),
            Self::Other => None,
        }
    }

    /// The wish to reason as its maker takes it.
    pub(super) fn reasoning(self, reasoning: &Reasoning) -> Option<(&'static str, Value)> {
        let is_on = matches!(reasoning.mode, ReasoningMode::On | ReasoningMode::Auto);
        match (self, reasoning.budget) {
            (Self::Claude, Some(budget)) if is_on => Some((
                "thinking",
                json!({"type": "enabled", "budget_tokens": budget}),
            )),
            (Self::Nova2, _) if is_on => {
                let effort = reasoning.effort.as_ref().map_or("medium", Effort::word);
                Some((
                    "reasoningConfig",
                    json!({"type": "enabled", "maxReasoningEffort": effort}),
                ))
            }
            _ => None,
        }
    }
}

/// What the passes may leave in a request to this model: how answers are sampled is told by the maker's own name of
/// it.
pub(super) fn capabilities(model: &str) -> Capabilities {
    let own = Family::of(model).capabilities();
    match model.split_once("anthropic.") {
        None => own,
        Some((_, name)) => {
            let maker = Capabilities::of(SIGNED_BY, name);
            Capabilities {
                sampling: maker.sampling,
                temperature_with_top_p: maker.temperature_with_top_p,
                ..own
            }
        }
    }
}

/// The dialect in whose name signatures of these models travel: Converse hands on what the maker
/// signed, and only Anthropic's models sign.
pub(super) const SIGNED_BY: DialectId = super::dialect::LIKE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_family_wherever_it_is_served() {
        for (model, family) in [
            ("anthropic.claude-sonnet-4-5-20250929-v1:0", Family::Claude),
            (
                "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
                Family::Claude,
            ),
            ("amazon.nova-pro-v1:0", Family::Nova),
            ("eu.amazon.nova-lite-v1:0", Family::Nova),
            ("global.amazon.nova-2-lite-v1:0", Family::Nova2),
            ("meta.llama3-3-70b-instruct-v1:0", Family::Other),
            (
                "arn:aws:bedrock:eu-west-1:1:inference-profile/x",
                Family::Other,
            ),
        ] {
            assert_eq!(Family::of(model), family, "{model}");
        }
    }

    #[test]
    fn a_makers_model_takes_what_it_takes_of_its_maker() {
        for (model, together, at_all) in [
            ("anthropic.claude-3-7-sonnet-20250219-v1:0", true, true),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", false, true),
            ("global.anthropic.claude-opus-4-7-v1:0", true, false),
            ("amazon.nova-pro-v1:0", true, true),
        ] {
            let can = capabilities(model);
            let seen = (can.temperature_with_top_p, can.sampling);
            assert_eq!(seen, (together, at_all), "{model}");
        }
    }
}

//! What the demo channel can be asked for, as a provider would say it.

use dialects::DialectId;
use providers::{Format, Operation};

/// The demo models, each for what its name says.
pub const MODELS: [&str; 9] = [
    "demo-chat",
    "demo-reasoning",
    "demo-embedding",
    "demo-image",
    "demo-transcribe",
    "demo-speech",
    "demo-rerank",
    "demo-moderation",
    "demo-realtime",
];

const TEXT: &[Format] = &[
    Format::Text(DialectId::ChatCompletions),
    Format::Text(DialectId::Responses),
    Format::Text(DialectId::Messages),
    Format::Text(DialectId::GenerateContent),
    Format::Text(DialectId::TextCompletions),
];
const COUNTS: &[Format] = &[
    Format::Text(DialectId::Messages),
    Format::Text(DialectId::GenerateContent),
    Format::Text(DialectId::Responses),
];
const COMMON: &[Format] = &[Format::Common];

/// The formats in which a model does this. A name that is none of [`MODELS`] does everything.
pub fn formats(operation: Operation, model: &str) -> &'static [Format] {
    use Operation as Do;
    let wants = match operation {
        Do::Generate | Do::CountTokens => &["demo-chat", "demo-reasoning"][..],
        Do::Embed => &["demo-embedding"],
        Do::GenerateImage | Do::EditImage | Do::VaryImage => &["demo-image"],
        Do::Transcribe | Do::Translate | Do::TranscribeLive => &["demo-transcribe"],
        Do::Speak => &["demo-speech"],
        Do::Rerank => &["demo-rerank"],
        Do::Moderate => &["demo-moderation"],
        Do::Realtime => &["demo-realtime"],
        Do::ListModels => return COMMON,
    };
    match operation {
        _ if MODELS.contains(&model) && !wants.contains(&model) => &[],
        Do::Generate => TEXT,
        Do::CountTokens => COUNTS,
        _ => COMMON,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_model_does_what_its_name_says() {
        assert_eq!(formats(Operation::Generate, "demo-chat").len(), 5);
        assert!(formats(Operation::Embed, "demo-chat").is_empty());
        assert_eq!(formats(Operation::Embed, "demo-embedding"), COMMON);
        assert_eq!(formats(Operation::Embed, "anything"), COMMON);
    }
}

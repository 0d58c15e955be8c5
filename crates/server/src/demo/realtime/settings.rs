//! A session's settings: what `session.update` changes and what `session.updated` tells.

use dialects::realtime::SessionKind;
use serde_json::{Map, Value, json};

/// The settings of one session.
#[derive(Debug, Clone)]
pub(super) struct Settings(Value);

impl Settings {
    pub(super) fn new(kind: SessionKind, id: &str, model: &str) -> Self {
        match kind {
            SessionKind::Conversation => Self::of_conversation(id, model),
            SessionKind::Transcription => Self::of_transcription(id, model),
        }
    }

    fn of_transcription(id: &str, model: &str) -> Self {
        Self(json!({
            "type": "transcription",
            "object": "realtime.transcription_session",
            "id": id,
            "include": null,
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24_000},
                    "transcription": {"model": model},
                    "noise_reduction": null,
                    "turn_detection": null,
                },
            },
        }))
    }

    fn of_conversation(id: &str, model: &str) -> Self {
        Self(json!({
            "type": "realtime",
            "object": "realtime.session",
            "id": id,
            "model": model,
            "output_modalities": ["audio"],
            "instructions": "",
            "tools": [],
            "tool_choice": "auto",
            "max_output_tokens": "inf",
            "tracing": null,
            "truncation": "auto",
            "prompt": null,
            "include": null,
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24_000},
                    "transcription": null,
                    "noise_reduction": null,
                    "turn_detection": null,
                },
                "output": {
                    "format": {"type": "audio/pcm", "rate": 24_000},
                    "voice": "alloy",
                    "speed": 1.0,
                },
            },
        }))
    }

    pub(super) fn value(&self) -> &Value {
        &self.0
    }

    /// Changes what the update names; objects are merged, everything else is replaced. The name of a
    /// field that there is none of is refused, and then nothing is changed.
    pub(super) fn update(&mut self, update: &Value) -> Result<(), String> {
        let known = self.0.as_object();
        let unknown = update.as_object().and_then(|update| {
            let is_known = |name: &&String| known.is_some_and(|known| known.contains_key(*name));
            update.keys().find(|name| !is_known(name)).cloned()
        });
        if let Some(name) = unknown {
            return Err(name);
        }
        merge(&mut self.0, update);
        Ok(())
    }

    /// The settings of one response: the session's, and what the client says beside them.
    pub(super) fn with(&self, more: &Value) -> Self {
        let mut settings = self.clone();
        if more.is_object() {
            merge(&mut settings.0, more);
        }
        settings
    }

    /// Whether there is a conversation at all.
    pub(super) fn converses(&self) -> bool {
        self.0["type"] == SessionKind::Conversation.name()
    }

    /// Whether answers are spoken.
    pub(super) fn speaks(&self) -> bool {
        let kinds = self.0["output_modalities"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "audio"))
    }

    /// The model that writes down what the user says.
    pub(super) fn transcription(&self) -> Option<&str> {
        self.0["audio"]["input"]["transcription"]["model"].as_str()
    }

    /// The tool to call: a forced one, any where one is required, or one whose name is said.
    pub(super) fn called_tool(&self, said: &str) -> Option<&Value> {
        let tools = self.0["tools"].as_array()?;
        let choice = &self.0["tool_choice"];
        match (choice.as_str(), choice["name"].as_str()) {
            (Some("none"), _) => None,
            (Some("required"), _) => tools.first(),
            (_, Some(name)) => tools.iter().find(|tool| tool["name"] == name),
            _ => {
                let is_said = |tool: &&Value| {
                    let name = tool["name"].as_str().unwrap_or_default();
                    said.split_whitespace()
                        .any(|word| word.trim_matches(['.', ',', '?', '!']) == name)
                };
                tools.iter().find(is_said)
            }
        }
    }

    /// The most tokens of an answer.
    pub(super) fn most_output(&self) -> u64 {
        self.0["max_output_tokens"].as_u64().unwrap_or(u64::MAX)
    }

    /// What a response repeats of them.
    pub(super) fn repeated(&self) -> Map<String, Value> {
        let names = ["output_modalities", "max_output_tokens", "metadata"];
        names
            .iter()
            .map(|name| ((*name).to_owned(), self.0[*name].clone()))
            .collect()
    }
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

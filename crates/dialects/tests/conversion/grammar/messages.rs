//! Events of the messages dialect.

use serde_json::Value;

use super::{Line, ensure, is_object, named};

#[derive(Default)]
struct State {
    started: bool,
    /// The open block: its kind, its JSON so far, and whether it is signed.
    open: Option<(String, String, bool)>,
    blocks: u64,
    stop_reason: Option<String>,
    broken: Vec<String>,
    ended: bool,
}

pub fn check(lines: &[Line]) -> Result<(), String> {
    let mut state = State::default();
    for line in lines {
        let (kind, event) = named(line)?;
        ensure(!state.ended, "something comes after the end")?;
        match kind.as_str() {
            "error" => state.ended = true,
            "message_start" => {
                ensure(!state.started, "a second message_start")?;
                state.started = true;
                ensure(
                    event["message"]["content"] == serde_json::json!([]),
                    "content at the start",
                )?;
                ensure(
                    event["message"]["usage"]["input_tokens"].is_u64(),
                    "no input tokens",
                )?;
            }
            _ => {
                ensure(state.started, "does not begin with message_start")?;
                state.event(&kind, &event)?;
            }
        }
    }
    ensure(state.ended, "neither message_stop nor error")
}

impl State {
    fn event(&mut self, kind: &str, event: &Value) -> Result<(), String> {
        match kind {
            "ping" => Ok(()),
            "content_block_start" => self.block_start(event),
            "content_block_delta" => self.block_delta(event),
            "content_block_stop" => self.block_stop(event),
            "message_delta" => {
                ensure(self.open.is_none(), "a block is open at message_delta")?;
                ensure(self.stop_reason.is_none(), "a second message_delta")?;
                let reason = event["delta"]["stop_reason"].as_str();
                self.stop_reason = Some(reason.ok_or("no stop_reason")?.to_owned());
                ensure(event["usage"]["output_tokens"].is_u64(), "no output tokens")?;
                let is_cut = matches!(
                    reason,
                    Some("max_tokens" | "refusal" | "model_context_window_exceeded")
                );
                ensure(
                    is_cut || self.broken.is_empty(),
                    &format!("broken arguments: {:?}", self.broken),
                )
            }
            "message_stop" => {
                ensure(
                    self.stop_reason.is_some(),
                    "message_stop before message_delta",
                )?;
                self.ended = true;
                Ok(())
            }
            other => Err(format!("an unknown event {other}")),
        }
    }

    fn block_start(&mut self, event: &Value) -> Result<(), String> {
        ensure(self.open.is_none(), "a block opened inside a block")?;
        ensure(
            event["index"].as_u64() == Some(self.blocks),
            "block indexes are not dense",
        )?;
        ensure(self.stop_reason.is_none(), "a block after message_delta")?;
        let kind = event["content_block"]["type"]
            .as_str()
            .ok_or("a block without a type")?;
        if kind == "tool_use" {
            ensure(
                event["content_block"]["input"] == serde_json::json!({}),
                "input at the start",
            )?;
        }
        self.open = Some((kind.to_owned(), String::new(), false));
        Ok(())
    }

    fn block_delta(&mut self, event: &Value) -> Result<(), String> {
        ensure(
            event["index"].as_u64() == Some(self.blocks),
            "a delta for another block",
        )?;
        let (block, gathered, signed) = self.open.as_mut().ok_or("a delta outside a block")?;
        let delta = &event["delta"];
        let kind = delta["type"].as_str().ok_or("a delta without a type")?;
        let fits = match kind {
            "text_delta" | "citations_delta" => block == "text",
            "thinking_delta" | "signature_delta" => block == "thinking",
            "input_json_delta" => block == "tool_use" || block == "server_tool_use",
            _ => false,
        };
        ensure(fits, &format!("{kind} in a {block} block"))?;
        ensure(delta["text"] != "", "an empty text_delta")?;
        ensure(
            kind != "thinking_delta" || !*signed,
            "thinking after its signature",
        )?;
        *signed |= kind == "signature_delta";
        *gathered += delta["partial_json"].as_str().unwrap_or_default();
        Ok(())
    }

    fn block_stop(&mut self, event: &Value) -> Result<(), String> {
        ensure(
            event["index"].as_u64() == Some(self.blocks),
            "a stop for another block",
        )?;
        let (kind, gathered, signed) = self.open.take().ok_or("a stop outside a block")?;
        ensure(
            kind != "thinking" || signed,
            "a thinking block without a signature",
        )?;
        if kind == "tool_use" && !gathered.is_empty() && !is_object(&gathered) {
            self.broken.push(gathered);
        }
        self.blocks += 1;
        Ok(())
    }
}

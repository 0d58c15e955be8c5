//! Events of the responses dialect.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Line, ensure, named};

#[derive(Default)]
struct State {
    number: u64,
    /// Pieces so far, by what they belong to.
    pieces: BTreeMap<String, String>,
    /// Items that began and are not done.
    open: BTreeMap<u64, String>,
    done: Vec<Value>,
    begun: u64,
    ended: bool,
}

pub fn check(lines: &[Line]) -> Result<(), String> {
    let mut state = State::default();
    for line in lines {
        let (kind, event) = named(line)?;
        ensure(!state.ended, "something comes after the end")?;
        let number = event["sequence_number"].as_u64();
        ensure(
            number == Some(state.number),
            "sequence numbers do not count up",
        )?;
        match state.number {
            0 => ensure(
                kind == "response.created" || kind == "error" || kind == "response.failed",
                "does not begin with response.created",
            )?,
            1 => ensure(
                kind == "response.in_progress" || kind == "response.failed",
                "the second event is not response.in_progress",
            )?,
            _ => {}
        }
        state.number += 1;
        state.event(&kind, &event)?;
    }
    ensure(state.ended, "no last event")
}

/// What a piece belongs to.
fn place(kind: &str, event: &Value) -> String {
    let family = kind.trim_end_matches(".delta").trim_end_matches(".done");
    let numbers = ["output_index", "content_index", "summary_index"].map(|name| &event[name]);
    format!("{family} {numbers:?}")
}

/// The field that holds all the words when a piece is done.
fn whole(kind: &str) -> Option<&'static str> {
    match kind.trim_end_matches(".done") {
        "response.output_text" | "response.reasoning_summary_text" | "response.reasoning_text" => {
            Some("text")
        }
        "response.refusal" => Some("refusal"),
        "response.function_call_arguments" => Some("arguments"),
        "response.custom_tool_call_input" => Some("input"),
        _ => None,
    }
}

impl State {
    fn event(&mut self, kind: &str, event: &Value) -> Result<(), String> {
        let index = event["output_index"].as_u64();
        if let (Some(piece), true) = (
            event["delta"].as_str(),
            kind.rsplit('.').next() == Some("delta"),
        ) {
            let open = index.is_some_and(|index| self.open.contains_key(&index));
            ensure(open, "a delta outside an item")?;
            self.pieces
                .entry(place(kind, event))
                .or_default()
                .push_str(piece);
        }
        if let (Some(field), true) = (whole(kind), kind.rsplit('.').next() == Some("done")) {
            let gathered = self.pieces.remove(&place(kind, event)).unwrap_or_default();
            let told = event[field].as_str().ok_or("a done without its words")?;
            ensure(
                told == gathered,
                &format!("{kind}: {gathered:?} became {told:?}"),
            )?;
        }
        match kind {
            "response.output_item.added" => {
                ensure(index == Some(self.begun), "output indexes are not dense")?;
                let id = event["item"]["id"].as_str().unwrap_or_default().to_owned();
                self.open.insert(self.begun, id);
                self.begun += 1;
            }
            "response.output_item.done" => {
                let index = index.ok_or("an item without an index")?;
                let id = self
                    .open
                    .remove(&index)
                    .ok_or("an item is done that did not begin")?;
                let same = event["item"]["id"].as_str().unwrap_or_default() == id;
                ensure(same, "an item's id changes")?;
                let place = usize::try_from(index).map_err(|_| "a wild index")?;
                while self.done.len() <= place {
                    self.done.push(Value::Null);
                }
                self.done[place] = event["item"].clone();
            }
            "response.completed" | "response.incomplete" => {
                self.ended = true;
                ensure(self.open.is_empty(), "an item is not done at the end")?;
                let output = &event["response"]["output"];
                let same = output.as_array() == Some(&self.done);
                ensure(same, "the final output is not the items that were done")?;
            }
            "response.failed" | "error" => self.ended = true,
            _ => {}
        }
        Ok(())
    }
}

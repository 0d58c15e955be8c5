//! The way back for what the way there had to rename: tool names that the upstream does not take,
//! free-text tools sent as functions, and a structured answer asked for by way of a tool.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::canonical::{
    Arguments, At, Event, EventSink, Finish, FinishReason, Part, PartHead, PartKind, Reply,
    ToolCall,
};
use crate::{ReplyContext, ToolOrigin};

/// Longer free text is cut off here; the upstream's own frame limit comes first.
const MAX_FREE_BYTES: usize = 32 << 20;

/// Restores names and forms in one answer.
#[derive(Debug)]
pub struct Restore {
    names: BTreeMap<String, ToolOrigin>,
    free_tools: HashSet<String>,
    answer_tool: Option<String>,
    /// Free-text calls whose arguments are still coming.
    free_calls: HashMap<At, String>,
    /// Calls of the tool that stands in for the answer.
    answers: HashSet<At>,
    /// Choices that called a real tool.
    called: HashSet<u32>,
}

impl Restore {
    /// What this call's way there has renamed; `None` where there is nothing to restore.
    pub fn new(context: &ReplyContext) -> Option<Self> {
        let idle = context.tool_names.is_empty()
            && context.free_tools.is_empty()
            && context.answer_tool.is_none();
        (!idle).then(|| Self {
            names: context.tool_names.clone(),
            free_tools: context.free_tools.iter().cloned().collect(),
            answer_tool: context.answer_tool.clone(),
            free_calls: HashMap::new(),
            answers: HashSet::new(),
            called: HashSet::new(),
        })
    }

    /// Restores a whole answer.
    pub fn reply(&self, reply: &mut Reply) {
        for choice in &mut reply.choices {
            for part in &mut choice.parts {
                self.restore_part(part);
            }
            let called = choice
                .parts
                .iter()
                .any(|p| matches!(p.kind, PartKind::ToolCall(_)));
            settle(&mut choice.finish, self.answer_tool.is_some() && !called);
        }
    }

    fn restore_part(&self, part: &mut Part) {
        let PartKind::ToolCall(call) = &mut part.kind else {
            return;
        };
        if self.answer_tool.as_ref() == Some(&call.name) {
            let text = call.arguments.text().to_owned();
            part.kind = PartKind::Text {
                text,
                annotations: Vec::new(),
            };
            return;
        }
        self.restore_call(call);
    }

    fn restore_call(&self, call: &mut ToolCall) {
        if let Some(origin) = self.names.get(&call.name) {
            call.name.clone_from(&origin.name);
            call.namespace.clone_from(&origin.namespace);
        }
        if self.free_tools.contains(&call.name) {
            call.arguments = Arguments::Free(free_text(call.arguments.text()));
        }
    }

    /// Hands an event on, restored.
    pub fn event(&mut self, event: Event<'_>, sink: &mut dyn EventSink) {
        match event {
            Event::PartStart {
                at,
                head: head @ PartHead::ToolCall { .. },
            } => {
                let head = self.begin(at, head);
                sink.event(Event::PartStart { at, head });
            }
            Event::Arguments { at, text } => self.on_arguments(at, text, sink),
            Event::PartEnd { at } => {
                if let Some(gathered) = self.free_calls.remove(&at) {
                    let text = &free_text(&gathered);
                    sink.event(Event::Arguments { at, text });
                }
                sink.event(Event::PartEnd { at });
            }
            Event::Finish { choice, finish } => {
                let mut finish = finish.clone();
                let was_called = self.called.contains(&choice);
                settle(&mut finish, !self.answers.is_empty() && !was_called);
                let finish = &finish;
                sink.event(Event::Finish { choice, finish });
            }
            other => sink.event(other),
        }
    }

    /// What a call begins as, to the client.
    fn begin<'a>(&'a mut self, at: At, head: PartHead<'a>) -> PartHead<'a> {
        let PartHead::ToolCall {
            id,
            name,
            namespace,
            is_free,
        } = head
        else {
            return head;
        };
        if self.answer_tool.as_deref() == Some(name) {
            self.answers.insert(at);
            return PartHead::Text;
        }
        self.called.insert(at.choice);
        let (name, namespace) = match self.names.get(name) {
            Some(origin) => (origin.name.as_str(), origin.namespace.as_deref()),
            None => (name, namespace),
        };
        let is_wrapped = !is_free && self.free_tools.contains(name);
        if is_wrapped {
            self.free_calls.insert(at, String::new());
        }
        PartHead::ToolCall {
            id,
            name,
            namespace,
            is_free: is_free || is_wrapped,
        }
    }

    /// The arguments of an answer tool are the answer; those of a free-text tool are gathered.
    fn on_arguments(&mut self, at: At, text: &str, sink: &mut dyn EventSink) {
        if self.answers.contains(&at) {
            return sink.event(Event::Text { at, text });
        }
        match self.free_calls.get_mut(&at) {
            Some(gathered) if gathered.len() + text.len() <= MAX_FREE_BYTES => {
                gathered.push_str(text);
            }
            Some(_) => {}
            None => sink.event(Event::Arguments { at, text }),
        }
    }
}

/// An answer that came by way of a tool was no tool call.
fn settle(finish: &mut Finish, answered_by_tool: bool) {
    if answered_by_tool && finish.reason == FinishReason::ToolCalls {
        finish.reason = FinishReason::Stop;
    }
}

/// The free text in the arguments of a function that stands in for a free-text tool.
fn free_text(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(mut map)) if map.len() == 1 => match map.remove("input") {
            Some(Value::String(text)) => text,
            _ => arguments.to_owned(),
        },
        _ => arguments.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DialectId;
    use crate::fold::{Fold, unfold};

    fn context() -> ReplyContext {
        ReplyContext {
            tool_names: BTreeMap::from([(
                "a_b".to_owned(),
                ToolOrigin {
                    name: "a.b".to_owned(),
                    namespace: Some("n".to_owned()),
                },
            )]),
            free_tools: vec!["sql".to_owned()],
            answer_tool: Some("json_output".to_owned()),
            ..ReplyContext::default()
        }
    }

    fn reply(name: &str, arguments: &str) -> Reply {
        let mut fold = Fold::new(DialectId::Messages);
        let at = At { choice: 0, part: 0 };
        let head = PartHead::ToolCall {
            id: "c1",
            name,
            namespace: None,
            is_free: false,
        };
        fold.event(Event::PartStart { at, head });
        for piece in arguments.as_bytes().chunks(3) {
            fold.event(Event::Arguments {
                at,
                text: std::str::from_utf8(piece).unwrap(),
            });
        }
        fold.event(Event::PartEnd { at });
        let finish = Finish::new(FinishReason::ToolCalls, "tool_use");
        fold.event(Event::Finish {
            choice: 0,
            finish: &finish,
        });
        fold.event(Event::End);
        fold.finish().unwrap()
    }

    fn restored(name: &str, arguments: &str) -> Reply {
        let mut whole = reply(name, arguments);
        let mut streamed = Fold::new(DialectId::Messages);
        let mut restore = Restore::new(&context()).unwrap();
        unfold(&whole, &mut |event: Event<'_>| {
            restore.event(event, &mut streamed);
        });
        Restore::new(&context()).unwrap().reply(&mut whole);
        assert_eq!(
            streamed.finish().unwrap(),
            whole,
            "streamed and whole agree"
        );
        whole
    }

    #[test]
    fn a_renamed_tool_gets_its_name_back() {
        let reply = restored("a_b", "{}");
        let PartKind::ToolCall(call) = &reply.choices[0].parts[0].kind else {
            panic!("a call")
        };
        assert_eq!(call.name, "a.b");
    }

    #[test]
    fn a_free_text_tool_gets_its_text() {
        let reply = restored("sql", r#"{"input":"SELECT \"x\""}"#);
        let PartKind::ToolCall(call) = &reply.choices[0].parts[0].kind else {
            panic!("a call")
        };
        assert_eq!(call.arguments, Arguments::Free("SELECT \"x\"".into()));
    }

    #[test]
    fn a_structured_answer_becomes_text_and_a_normal_end() {
        let reply = restored("json_output", r#"{"a":1}"#);
        assert_eq!(reply.choices[0].parts[0].as_text(), Some(r#"{"a":1}"#));
        assert_eq!(reply.choices[0].finish.reason, FinishReason::Stop);
    }
}

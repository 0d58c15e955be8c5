//! Limits on how much a request may hold. The scan of a body counts on its way; only a body that may be
//! beyond a limit is counted exactly.

use std::ops::Range;

use crate::canonical::Failure;
use crate::walk::{Broken, Walk};

/// How much a request may hold, whichever dialect it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountLimits {
    /// Entries of the conversation.
    pub messages: usize,
    /// Content parts, tool calls and other objects in the conversation, messages included.
    pub parts: usize,
    /// Tools, those in groups included.
    pub tools: usize,
    /// Objects outside of the conversation: tools, their schemas, settings.
    pub schema_nodes: usize,
    /// Stop sequences.
    pub stops: usize,
}

/// What the scan of a body has counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BodyCounts {
    /// Objects, and strings in lists.
    nodes: usize,
    conversation_nodes: usize,
    conversation: Member,
    tools: Member,
    stops: Member,
}

/// A member of the body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Member {
    name: &'static str,
    place: Range<usize>,
    nodes: usize,
}

impl Member {
    /// Keeps the larger of two members with one meaning.
    fn put(&mut self, name: &'static str, place: Range<usize>, nodes: usize) {
        if nodes >= self.nodes {
            *self = Self { name, place, nodes };
        }
    }

    fn text<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        body.get(self.place.clone()).unwrap_or_default()
    }
}

impl BodyCounts {
    /// Counts an object, or a string in a list.
    #[inline]
    pub(crate) fn add(&mut self, nodes: usize) {
        self.nodes += nodes;
    }

    /// Returns how many nodes were counted so far.
    #[inline]
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Files a member of the body that was walked through.
    pub(crate) fn member(&mut self, name: &[u8], place: Range<usize>, nodes: usize) {
        let name = match name {
            b"messages" => "messages",
            b"input" => "input",
            b"contents" => "contents",
            b"prompt" => "prompt",
            b"system" | b"systemInstruction" | b"system_instruction" => {
                self.conversation_nodes += nodes;
                return;
            }
            b"tools" => return self.tools.put("tools", place, nodes),
            b"functions" => return self.tools.put("functions", place, nodes),
            b"stop" => return self.stops.put("stop", place, nodes),
            b"stop_sequences" => return self.stops.put("stop_sequences", place, nodes),
            b"generationConfig" | b"generation_config" => {
                return self.stops.put("stopSequences", place, nodes);
            }
            _ => return,
        };
        self.conversation_nodes += nodes;
        self.conversation.put(name, place, nodes);
    }

    /// Rejects a body that holds more than is allowed, by the name of the limit.
    pub(crate) fn check(&self, body: &[u8], limits: &CountLimits) -> Result<(), Failure> {
        let Self {
            conversation,
            tools,
            stops,
            ..
        } = self;
        at_most(
            limits.parts,
            self.conversation_nodes,
            || self.conversation_nodes,
            (conversation.name, "parts", "part_count"),
        )?;
        at_most(
            limits.messages,
            conversation.nodes,
            || entries(conversation.text(body)),
            (conversation.name, "messages", "message_count"),
        )?;
        at_most(
            limits.tools,
            tools.nodes,
            || tools_in(tools.text(body)),
            (tools.name, "tools", "tool_count"),
        )?;
        let others = self.nodes - self.conversation_nodes;
        at_most(
            limits.schema_nodes,
            others,
            || others,
            (tools.name, "schema nodes", "schema_node_count"),
        )?;
        at_most(
            limits.stops,
            stops.nodes,
            || stops_in(stops.text(body)),
            (stops.name, "stop sequences", "stop_count"),
        )
    }
}

/// Rejects a count above a limit. It is counted exactly only if its bound is above the limit.
fn at_most(
    limit: usize,
    bound: usize,
    count: impl FnOnce() -> usize,
    (field, what, key): (&'static str, &str, &str),
) -> Result<(), Failure> {
    if bound <= limit {
        return Ok(());
    }
    let count = count();
    if count <= limit {
        return Ok(());
    }
    let text =
        format!("The request has {count} {what}; at most {limit} are accepted (`limits.{key}`).");
    Err(Failure::bad_request(field, text))
}

/// How many entries a list has.
fn entries(list: &[u8]) -> usize {
    let mut walk = Walk::new(list);
    if !walk.begins(b'[') {
        return 0;
    }
    entries_here(&mut walk).unwrap_or(0)
}

fn entries_here(walk: &mut Walk<'_>) -> Result<usize, Broken> {
    let mut count = 0;
    walk.entries(|walk| {
        count += 1;
        walk.past()
    })?;
    Ok(count)
}

/// How many tools a list declares. A group of tools counts as the tools in it.
fn tools_in(list: &[u8]) -> usize {
    let mut count = 0;
    let mut walk = Walk::new(list);
    let walked = walk.entries(|walk| {
        let mut grouped = 0;
        if walk.begins(b'{') {
            walk.members(|name, walk| match name {
                b"functionDeclarations" | b"function_declarations" | b"tools"
                    if walk.begins(b'[') =>
                {
                    grouped += entries_here(walk)?;
                    Ok(())
                }
                _ => walk.past(),
            })?;
        } else {
            walk.past()?;
        }
        count += grouped.max(1);
        Ok(())
    });
    walked.map_or(0, |()| count)
}

/// How many stop sequences a list has, or the settings that hold such a list.
fn stops_in(text: &[u8]) -> usize {
    let mut walk = Walk::new(text);
    if !walk.begins(b'{') {
        return entries(text);
    }
    let mut count = 0;
    let walked = walk.members(|name, walk| match name {
        b"stopSequences" | b"stop_sequences" if walk.begins(b'[') => {
            count = entries_here(walk)?;
            Ok(())
        }
        _ => walk.past(),
    });
    walked.map_or(0, |()| count)
}

#[cfg(test)]
#[path = "body_counts_tests.rs"]
mod tests;

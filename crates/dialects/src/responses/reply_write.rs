//! Writes a whole answer for a client: one that came in this dialect as it was, any other in the
//! shell of strict fields.

use serde_json::{Map, Value, json};

use super::marks::merge_missing;
use super::reply_item_write::OutputWriter;
use super::shell::{Outcome, Shell, Stage};
use super::usage;
use crate::canonical::{Reply, Usage};
use crate::{DialectId, ReplyContext, Written, json};

/// Writes an answer's body.
pub(super) fn write_reply(reply: &Reply, context: &ReplyContext) -> Written {
    let shell = Shell::new(&reply.id, &reply.model, reply.created, context);
    // An answer that was folded from a stream has no fields of its own left.
    let is_own = reply.source == DialectId::Responses && !reply.extra.is_empty();
    let mut writer = OutputWriter::new(&shell, context, is_own);
    let choice = reply.choices.first();
    if let Some(choice) = choice {
        writer.choice(choice);
    }
    let (items, mut dropped) = writer.finish();
    if reply.choices.len() > 1 {
        dropped.push("choices".to_owned());
    }
    let mut body = Vec::with_capacity(1024);
    if is_own {
        json::write(&mut body, &own_map(reply, items));
    } else {
        let mut output = Vec::with_capacity(512);
        for item in &items {
            if !output.is_empty() {
                output.push(b',');
            }
            json::write(&mut output, item);
        }
        let stage = Stage {
            outcome: Outcome::of_choice(choice),
            output: &output,
            usage: reply.usage.as_ref(),
            tier: reply.tier.as_deref(),
        };
        shell.write(&stage, &mut body);
    }
    Written { body, dropped }
}

fn own_map(reply: &Reply, items: Vec<Value>) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("id".to_owned(), json!(reply.id));
    map.insert("object".to_owned(), json!("response"));
    if let Some(created) = reply
        .created
        .filter(|_| !reply.extra.contains_key("created_at"))
    {
        map.insert("created_at".to_owned(), json!(created));
    }
    map.insert("model".to_owned(), json!(reply.model));
    map.insert("output".to_owned(), Value::Array(items));
    if let Some(counts) = &reply.usage {
        map.insert("usage".to_owned(), own_usage(reply, counts));
    }
    if let Some(tier) = &reply.tier {
        map.insert("service_tier".to_owned(), json!(tier));
    }
    merge_missing(&mut map, &reply.extra);
    // Strict clients need these, whatever an upstream that only resembles the vendor leaves out.
    let outcome = Outcome::of_choice(reply.choices.first());
    for (key, usual) in [
        ("status", json!(outcome.word())),
        ("parallel_tool_calls", json!(true)),
        ("tool_choice", json!("auto")),
        ("tools", json!([])),
    ] {
        map.entry(key).or_insert(usual);
    }
    map
}

/// The usage object as it came where it still says these counts, made whole for strict clients.
fn own_usage(reply: &Reply, counts: &Usage) -> Value {
    let mut written = usage::write(counts);
    let Some(Value::Object(given)) = reply.extra.get("usage") else {
        return written;
    };
    let said = Usage {
        hosted_tools: counts.hosted_tools.clone(),
        ..usage::read(given)
    };
    if said != *counts {
        return written;
    }
    let mut kept = given.clone();
    if let Value::Object(written) = &mut written {
        // The vendor itself does not always say how much it wrote to its cache.
        if let Some(Value::Object(details)) = written.get_mut("input_tokens_details")
            && given.contains_key("input_tokens_details")
        {
            details.shift_remove("cache_write_tokens");
        }
        merge_missing(&mut kept, written);
    }
    Value::Object(kept)
}

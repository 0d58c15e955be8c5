//! A whole answer, read.

use dialects::canonical::{
    Annotation, Choice, Extra, Failure, Part, PartKind, Reply, Thinking, ThinkingForm, ToolCall,
};
use dialects::{Signature, error_body, ids, json};

use super::finish;
use super::model_family::SIGNED_BY;
use super::wire::{Answer, Block, Citation, CitationsBlock, ReasoningBlock, ToolUse};

/// Reads an upstream's answer.
pub(super) fn read(body: &[u8]) -> Result<Reply, Failure> {
    let Ok(answer) = serde_json::from_slice::<Answer<'_>>(body) else {
        return Err(unreadable(body));
    };
    let mut parts = Vec::new();
    for block in &answer.output.message.content {
        read_block(block, &mut parts);
    }
    let has_call = parts
        .iter()
        .any(|part| matches!(part.kind, PartKind::ToolCall(_)));
    let additional = answer.additional_model_response_fields.as_ref();
    let sequence = additional.and_then(|it| it.stop_sequence.as_deref());
    Ok(Reply {
        source: super::dialect::LIKE,
        // Amazon names neither the answer nor the model.
        id: String::new(),
        model: String::new(),
        created: None,
        choices: vec![Choice {
            index: 0,
            finish: finish::read(&answer.stop_reason, sequence, has_call),
            parts,
            logprobs: None,
            extra: Extra::new(),
        }],
        usage: answer.usage.map(|counts| counts.usage()),
        tier: answer.service_tier.map(|tier| tier.kind.into_owned()),
        extra: Extra::new(),
    })
}

/// An error that came with a good status, or no answer at all.
fn unreadable(body: &[u8]) -> Failure {
    match json::read_upstream_object(body) {
        Ok(map) if map.contains_key("message") || map.contains_key("Message") => {
            error_body::for_client(error_body::read_error(200, body))
        }
        _ => Failure::upstream("The upstream's answer cannot be read."),
    }
}

fn read_block(block: &Block<'_>, parts: &mut Vec<Part>) {
    if let Some(text) = &block.text {
        parts.push(Part::text(text.as_ref()));
    } else if let Some(call) = block.tool_use.as_ref().filter(|call| !call.is_hosted()) {
        parts.push(read_call(call, parts));
    } else if let Some(reasoning) = &block.reasoning_content {
        parts.extend(read_reasoning(reasoning));
    } else if let Some(cited) = &block.citations_content {
        parts.push(read_cited(cited));
    }
}

fn read_call(call: &ToolUse<'_>, before: &[Part]) -> Part {
    let id = match call.id.as_ref() {
        "" => made_up_id(before.len()),
        id => id.to_owned(),
    };
    Part::new(PartKind::ToolCall(ToolCall {
        id,
        name: call.name.to_string(),
        namespace: None,
        arguments: json::arguments(call.input.map_or("", |raw| raw.get())),
    }))
}

/// An id for a call that has none, by its place among the parts.
pub(super) fn made_up_id(place: usize) -> String {
    ids::call_id("", 0, u32::try_from(place).unwrap_or(u32::MAX))
}

fn read_reasoning(block: &ReasoningBlock<'_>) -> Option<Part> {
    if let Some(data) = &block.redacted_content {
        return Some(Part {
            signature: Some(Signature::native(SIGNED_BY, data.as_ref())),
            ..thought("", ThinkingForm::Redacted)
        });
    }
    let said = block.reasoning_text.as_ref()?;
    let signed = said.signature.as_ref().filter(|text| !text.is_empty());
    Some(Part {
        signature: signed.map(|text| Signature::native(SIGNED_BY, text.as_ref())),
        ..thought(&said.text, ThinkingForm::Raw)
    })
}

fn thought(text: &str, form: ThinkingForm) -> Part {
    let text = text.to_owned();
    Part::new(PartKind::Thinking(Thinking { text, form }))
}

fn read_cited(cited: &CitationsBlock<'_>) -> Part {
    let texts = cited
        .content
        .iter()
        .filter_map(|block| block.text.as_deref());
    let text: String = texts.collect();
    let length = text.chars().count() as u64;
    let annotations = cited
        .citations
        .iter()
        .filter_map(|it| annotation(it, length));
    let annotations = annotations.collect();
    Part::new(PartKind::Text { text, annotations })
}

/// A page on the web; Amazon's other places mean nothing to clients of other dialects.
pub(super) fn annotation(citation: &Citation<'_>, length: u64) -> Option<Annotation> {
    let web = citation.location.as_ref()?.web.as_ref()?;
    Some(Annotation::Url {
        url: web.url.to_string(),
        title: citation.title.as_ref().map(ToString::to_string),
        start: Some(0),
        end: Some(length),
        raw: None,
    })
}

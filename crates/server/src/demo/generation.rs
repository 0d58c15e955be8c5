//! Text of the demo models in the vendors' wire formats, whole or streamed token by token, and
//! counts of tokens.

use dialects::canonical::{Event, Failure, PartKind, Reply, Request, ThinkingForm};
use dialects::convert::dialect;
use dialects::fold::unfold;
use dialects::stop_cut::StopCut;
use dialects::text_completions::{Answered, echoed_prompt, join_replies, read_prompts};
use dialects::{
    DialectId, PathHints, ReplyContext, Signature, chat_completions, generate_content, messages,
    responses,
};
use providers::Call;

use super::answer::{Answer, EVENTS, JSON, Piece};
use super::{CREATED, text, tokens};

/// Answers a request for text. The seed makes the answer's id.
pub(super) fn generate(
    call: &Call<'_>,
    id: DialectId,
    body: &[u8],
    seed: &str,
) -> Result<Answer, Failure> {
    let requests = if id == DialectId::TextCompletions {
        read_prompts(body)?
    } else {
        let path = PathHints {
            model: Some(call.model.to_owned()),
            stream: call.stream,
        };
        vec![dialect(id).read_request(body, &path)?]
    };
    let reply_id = reply_id(id, seed);
    let reply = reply(&requests, call.model, id, &reply_id);
    let context = context(&requests[0], id, call.model, &reply_id);
    let is_stream = call.stream || requests[0].stream.is_some();
    if is_stream {
        return Ok(streamed(&reply, id, &context));
    }
    let written = dialect(id).write_reply(&reply, &context);
    Ok(Answer::whole(JSON, written.body))
}

/// Counts the tokens of a request.
pub(super) fn count(call: &Call<'_>, id: DialectId, body: &[u8]) -> Result<Answer, Failure> {
    let path = PathHints {
        model: Some(call.model.to_owned()),
        stream: false,
    };
    let request = match id {
        DialectId::Messages => messages::count::read_request(body)?,
        DialectId::GenerateContent => generate_content::read_count_request(body, &path)?,
        id => dialect(id).read_request(body, &path)?,
    };
    let tokens = tokens::count_input(&request);
    let body = match id {
        DialectId::Messages => messages::count::write_answer(tokens),
        DialectId::GenerateContent => generate_content::write_count(tokens),
        _ => responses::write_count(tokens),
    };
    Ok(Answer::whole(JSON, body))
}

fn reply_id(id: DialectId, seed: &str) -> String {
    let prefix = match id {
        DialectId::ChatCompletions => "chatcmpl-",
        DialectId::TextCompletions => "cmpl-",
        DialectId::Messages => "msg_",
        DialectId::Responses => "resp_",
        DialectId::GenerateContent => "",
    };
    format!("{prefix}{seed}")
}

/// The one answer to all prompts of a request.
fn reply(requests: &[Request], model: &str, id: DialectId, reply_id: &str) -> Reply {
    let answers = requests.iter().map(|request| {
        let mut reply = text::answer(request, model, reply_id, CREATED);
        if let Some(cut) = StopCut::new(&request.stop) {
            cut.reply(&mut reply);
        }
        sign(&mut reply, id);
        Answered {
            reply,
            echoed_prompt: echoed_prompt(request).filter(|_| id == DialectId::TextCompletions),
        }
    });
    let per_prompt = requests[0].choices.unwrap_or(1);
    join_replies(answers.collect(), per_prompt).expect("a request has at least one prompt")
}

/// Thoughts as the vendors of a dialect show them: signed, and some only as a summary.
fn sign(reply: &mut Reply, id: DialectId) {
    let form = match id {
        DialectId::Responses | DialectId::GenerateContent => ThinkingForm::Summary,
        _ => ThinkingForm::Raw,
    };
    let signs = !matches!(id, DialectId::ChatCompletions | DialectId::TextCompletions);
    for part in reply.choices.iter_mut().flat_map(|it| &mut it.parts) {
        if let PartKind::Thinking(thinking) = &mut part.kind {
            thinking.form = form;
            part.signature = signs.then(|| Signature::native(id, "ZGVtbw=="));
        }
    }
}

fn context(request: &Request, id: DialectId, model: &str, reply_id: &str) -> ReplyContext {
    let options = request.stream.as_ref();
    ReplyContext {
        id: reply_id.to_owned(),
        created: CREATED,
        model: model.to_owned(),
        include_usage: options.and_then(|stream| stream.include_usage) == Some(true),
        estimated_input: tokens::count_input(request),
        show_reasoning: true,
        old_functions: chat_completions::uses_old_functions(request),
        echo: match id {
            DialectId::Responses => responses::echo(request),
            _ => dialects::canonical::Extra::new(),
        },
        ..ReplyContext::default()
    }
}

/// The answer as a stream, one token a piece.
fn streamed(reply: &Reply, id: DialectId, context: &ReplyContext) -> Answer {
    let mut writer = dialect(id).stream_writer(context);
    let mut pieces = Vec::new();
    let mut write = |event: Event<'_>, tokens: u64| {
        let mut out = Vec::new();
        writer.event(event, &mut out);
        if !out.is_empty() {
            let bytes = out.into();
            pieces.push(Piece { bytes, tokens });
        }
    };
    unfold(reply, &mut |event: Event<'_>| match event {
        Event::Text { at, text } => {
            for text in tokens::each(text) {
                write(Event::Text { at, text }, 1);
            }
        }
        Event::Arguments { at, text } => {
            for text in tokens::each(text) {
                write(Event::Arguments { at, text }, 1);
            }
        }
        event => write(event, 0),
    });
    Answer {
        content_type: EVENTS,
        pieces,
    }
}

//! The request for one upstream: the client's own bytes where both speak one dialect, else written
//! anew from the canonical form.

use bytes::Bytes;
use dialects::canonical::{Failure, Request};
use dialects::convert::convert_request_to;
use dialects::demand::cap_names;
use dialects::generate_content::is_charged_by_answer;
use dialects::{DialectId, Word, text_completions};
use memchr::memmem;
use providers::{Format, RequestBody};

use super::answer::TextAnswer;
use super::context::Context;
use super::format::{Spoken, choose};
use super::searching::Searching;
use super::task::TextTask;
use super::{fetch, prompts};
use crate::model_call::headers::{passing, passing_query};
use crate::model_call::responses::KeptAnswer;
use crate::model_call::strict;
use crate::model_call::task::{Addressee, Answer, Outgoing};

/// How chat completions asks for a search, which its usage does not tell of.
const SEARCHES: &[u8] = b"\"web_search_options\"";

/// Writes the request.
pub async fn write(task: &mut TextTask, to: Addressee<'_>) -> Result<Outgoing, Failure> {
    let spoken = choose(task.client, to.formats).ok_or_else(not_spoken)?;
    check_bound(task, &to, spoken)?;
    let mut context = Context::new(to.call, task);
    let (body, dropped) = match own_bytes(task, &to, spoken) {
        Some(body) => (body, Vec::new()),
        None if task.prompts > 1 => {
            let input = context.input.clone();
            return prompts::write(task, &to, spoken, (context.into_inner(), input));
        }
        None => converted(task, &to, spoken, &mut context).await?,
    };
    if let Some(id) = &task.previous_id {
        let id = serde_json::Value::String(id.clone());
        let echo = &mut context.get_mut().echo;
        echo.insert("previous_response_id".to_owned(), id);
    }
    let upstream = spoken.dialect.native();
    let searching = match upstream {
        Some(DialectId::ChatCompletions) => {
            let demand = &task.scan.demand;
            // A search of another dialect is written in these words.
            let is_asked = demand.has_search_options()
                || (!demand.extra().is_empty() && memmem::find(&body, SEARCHES).is_some());
            Searching::of(&to.place.upstream_model, is_asked)
        }
        _ => Searching::No,
    };
    Ok(Outgoing {
        format: spoken.format,
        is_stream: task.is_stream,
        headers: passing(to.call, to.place, upstream),
        query: passing_query(to.call, upstream),
        body: RequestBody::Whole(body),
        dropped,
        answer: answer(task, (spoken, searching), to, context),
    })
}

/// The way back; an answer that is to be kept is listened to.
fn answer(
    task: &TextTask,
    (spoken, searching): (Spoken, Searching),
    to: Addressee<'_>,
    context: Context,
) -> Box<dyn Answer> {
    let mut answer = Box::new(TextAnswer::new(task, spoken, to, context));
    answer.searching = searching;
    if spoken.is_native_to(task.client) {
        answer.untold = task.extra.untold.clone();
    }
    match &task.keeping {
        Some(keeping) => Box::new(KeptAnswer::new(answer, keeping.clone(), task.is_stream)),
        None => answer,
    }
}

fn not_spoken() -> Failure {
    Failure::unsupported("model", "The model cannot be used with this endpoint.")
}

/// Refuses an upstream that cannot be told how often it may search: newer models of Google are charged by the query.
fn check_bound(task: &TextTask, to: &Addressee<'_>, spoken: Spoken) -> Result<(), Failure> {
    let is_google = spoken.dialect.native() == Some(DialectId::GenerateContent);
    if !is_google || !task.extra.is_bounded || is_charged_by_answer(&to.place.upstream_model) {
        return Ok(());
    }
    let text = "The uses of a hosted tool cannot be limited with this model.";
    Err(Failure::unsupported("tools", text))
}

/// Lowers the cap to this one, under every name that the body has for it.
pub fn lower_caps(request: &mut Request, cap: u64) {
    request.max_output = Some(request.max_output.unwrap_or(cap).min(cap));
    for name in cap_names() {
        if let Some(other) = request.extra.get_mut(name) {
            let lower = other.as_u64().unwrap_or(cap).min(cap);
            *other = lower.into();
        }
    }
}

/// Whether a request for an upstream of these formats goes through without being read into the canonical form.
pub fn passes_through(task: &TextTask, formats: &[Format]) -> bool {
    choose(task.client, formats).is_some_and(|spoken| takes_own_bytes(task, spoken))
}

/// Whether the upstream can take the client's own bytes.
fn takes_own_bytes(task: &TextTask, spoken: Spoken) -> bool {
    spoken.is_native_to(task.client)
        && task.lowered_cap.is_none()
        && !task.is_without_signatures
        && !task.sighted.has(Word::OwnValue)
}

/// The client's own bytes, where the upstream can take them: only the model's name and what
/// metering needs are touched.
fn own_bytes(task: &TextTask, to: &Addressee<'_>, spoken: Spoken) -> Option<Bytes> {
    if !takes_own_bytes(task, spoken) {
        return None;
    }
    let model = &*to.place.upstream_model;
    let asks_usage = asks_usage(task.client) && task.is_stream && !task.scan.include_usage;
    let is_renamed = task.scan.model_span.is_some() && *task.model != *model;
    if !is_renamed && !asks_usage {
        return Some(task.body.clone());
    }
    Some(task.scan.forward(&task.body, model, asks_usage).into())
}

/// Whether a streamed answer of this dialect tells its usage only to those who ask.
pub fn asks_usage(dialect: DialectId) -> bool {
    matches!(
        dialect,
        DialectId::ChatCompletions | DialectId::TextCompletions
    )
}

async fn converted(
    task: &mut TextTask,
    to: &Addressee<'_>,
    spoken: Spoken,
    context: &mut Context,
) -> Result<(Bytes, Vec<String>), Failure> {
    let lowered = task.lowered_cap;
    if fetch::inline(to.app, task.request()?, spoken.dialect).await? {
        task.keep_request();
    }
    let mut request = task.take_request()?;
    context.convert(&request, task);
    let context = context.get_mut();
    (*to.place.upstream_model).clone_into(&mut request.model);
    if let Some(cap) = lowered {
        lower_caps(&mut request, cap);
    }
    if task.client == DialectId::TextCompletions {
        context.echoed_prompt = text_completions::echoed_prompt(&request);
    }
    if let Some(stream) = &mut request.stream
        && spoken.dialect.native().is_some_and(asks_usage)
    {
        stream.include_usage = Some(true);
    }
    let mut target = spoken.dialect.target(&to.place.upstream_model);
    target.strict = strict::is_strict(to.call);
    target.without_signatures = task.is_without_signatures;
    target.hosted_uses = task.extra.fewest;
    let written = convert_request_to(spoken.dialect, &mut request, &target, context)?;
    Ok((written.body.into(), written.dropped))
}

//! The order of a conversation. Dialects differ in which roles may follow each other and in where a
//! tool's result must stand; here the turns are merged, paired and completed for the target.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Dropped, Target};
use crate::canonical::{
    ContentShape, Failure, Part, PartKind, Request, Role, ToolCall, ToolResult, Turn,
};
use crate::{DialectId, ids};

/// Arranges the turns for the target.
pub(super) fn arrange(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    drop_empty_texts(&mut request.turns, target.dialect);
    place_system_turns(request, target);
    if request.turns.iter().any(has_tools) {
        if target.dialect == DialectId::ChatCompletions && request.turns.iter().any(has_failed) {
            dropped.note("is_error")?;
        }
        number_calls(&mut request.turns);
        rename_repeated_calls(&mut request.turns);
        pair_results(&mut request.turns, dropped)?;
    }
    settle_silent_turns(&mut request.turns, target.dialect);
    results_first(&mut request.turns);
    if needs_user(target.dialect) {
        begin_with_user(request);
    }
    check_prefill(request, target)
}

/// Whether a turn has calls or results.
fn has_tools(turn: &Turn) -> bool {
    let is_tool =
        |part: &Part| matches!(part.kind, PartKind::ToolCall(_) | PartKind::ToolResult(_));
    turn.parts.iter().any(is_tool)
}

/// Whether a turn tells that a tool has failed.
fn has_failed(turn: &Turn) -> bool {
    let is_failure = |part: &Part| matches!(&part.kind, PartKind::ToolResult(result) if result.is_error == Some(true));
    turn.parts.iter().any(is_failure)
}

fn needs_alternation(dialect: DialectId) -> bool {
    matches!(dialect, DialectId::Messages | DialectId::GenerateContent)
}

fn needs_user(dialect: DialectId) -> bool {
    needs_alternation(dialect) || dialect == DialectId::Responses
}

/// System text between turns becomes marked user text where the target has no place for it:
/// hoisting it to the top would change when it was said.
fn place_system_turns(request: &mut Request, target: &Target) {
    let keeps = match target.dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions | DialectId::Responses => true,
        DialectId::Messages => target.can.mid_system,
        DialectId::GenerateContent => false,
    };
    for turn in request
        .turns
        .iter_mut()
        .filter(|turn| turn.role == Role::System && !keeps)
    {
        turn.role = Role::User;
        turn.shape = ContentShape::Parts;
        for part in &mut turn.parts {
            if let PartKind::Text { text, .. } = &mut part.kind {
                *text = format!("<system>{text}</system>");
            }
        }
    }
}

/// Vendors refuse empty text. A signed part is kept: its signature is its content. An empty answer
/// between two questions is kept where it may be said: it keeps them apart.
fn drop_empty_texts(turns: &mut [Turn], target: DialectId) {
    for turn in turns.iter_mut() {
        turn.parts
            .retain(|part| part.as_text() != Some("") || part.signature.is_some());
    }
    if needs_alternation(target) {
        return;
    }
    let is_user = |turn: Option<&Turn>| {
        turn.is_some_and(|turn| turn.role == Role::User && !turn.parts.is_empty())
    };
    for place in 1..turns.len() {
        let stands_between = is_user(turns.get(place - 1)) && is_user(turns.get(place + 1));
        let turn = &mut turns[place];
        if turn.role == Role::Assistant && turn.parts.is_empty() && stands_between {
            turn.parts.push(Part::text(""));
        }
    }
}

/// A turn with nothing left in it is dropped, and neighbours are merged where roles must alternate.
/// A user who has the last word and nothing to say says the least there is: without that turn
/// the answer before it would be one for the model to go on with, or there would be no turn at all.
/// Between others nothing is lost with such a turn, and it may stand in the middle of one answer (a
/// hosted tool's result that could not be said).
fn settle_silent_turns(turns: &mut Vec<Turn>, target: DialectId) {
    let is_silent = |turn: &Turn| turn.parts.is_empty();
    let counts = |turn: &&Turn| turn.role == Role::User || !is_silent(turn);
    let ends_silent = turns.iter().rfind(counts).is_some_and(is_silent);
    turns.retain(|turn| !is_silent(turn));
    let least = match target {
        DialectId::Messages => ".",
        DialectId::GenerateContent => " ",
        _ => "",
    };
    if needs_alternation(target) {
        merge_neighbours(turns);
    }
    if ends_silent && turns.last().is_none_or(|turn| turn.role != Role::User) {
        turns.push(Turn::new(Role::User, vec![Part::text(least)]));
    }
}

/// Calls without ids (generate content) get one from their place; a result without one answers the
/// first open call of its name, else the first open call.
fn number_calls(turns: &mut [Turn]) {
    let mut ordinal = 0;
    let mut open = OpenCalls::default();
    for part in turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        match &mut part.kind {
            PartKind::ToolCall(call) => {
                if call.id.is_empty() {
                    call.id = ids::call_id(&call.name, 0, ordinal);
                    ordinal += 1;
                }
                open.push(call);
            }
            PartKind::ToolResult(result) => {
                if let Some(id) = open.answered_by(result) {
                    result.call_id = id;
                }
            }
            _ => {}
        }
    }
}

/// Calls that wait for their result. A history may hold very many, so that none is searched for.
#[derive(Default)]
struct OpenCalls {
    /// In order; `None` where the result was met.
    ids: VecDeque<Option<String>>,
    /// How many were taken from the front of `ids`.
    gone: usize,
    by_id: HashMap<String, VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
}

impl OpenCalls {
    fn push(&mut self, call: &ToolCall) {
        let place = self.gone + self.ids.len();
        self.ids.push_back(Some(call.id.clone()));
        let (ids, names) = (&mut self.by_id, &mut self.by_name);
        ids.entry(call.id.clone()).or_default().push_back(place);
        names.entry(call.name.clone()).or_default().push_back(place);
    }

    /// The call that this result answers, which is open no longer.
    fn answered_by(&mut self, result: &ToolResult) -> Option<String> {
        while matches!(self.ids.front(), Some(None)) {
            self.ids.pop_front();
            self.gone += 1;
        }
        let places = if result.call_id.is_empty() {
            self.by_name
                .get_mut(result.name.as_deref().unwrap_or_default())
        } else {
            self.by_id.get_mut(&result.call_id)
        };
        if let Some(places) = places {
            while let Some(place) = places.pop_front() {
                let open = place.checked_sub(self.gone);
                if let Some(id) = open.and_then(|open| self.ids.get_mut(open)?.take()) {
                    return Some(id);
                }
            }
        }
        let is_nameless = result.call_id.is_empty();
        self.ids.front_mut().filter(|_| is_nameless)?.take()
    }
}

/// A call id that a client used twice gets a number, and so does the result that answers it.
fn rename_repeated_calls(turns: &mut [Turn]) {
    let parts = || turns.iter().flat_map(|turn| &turn.parts);
    let mut calls = parts().filter_map(|part| match &part.kind {
        PartKind::ToolCall(call) => Some(&call.id),
        _ => None,
    });
    let mut seen = HashSet::new();
    if calls.all(|id| seen.insert(id)) {
        return;
    }
    let mut taken: HashSet<String> = parts().filter_map(id_of).cloned().collect();
    let mut namesakes: HashMap<String, Namesakes> = HashMap::new();
    for (place, turn) in turns.iter_mut().enumerate() {
        for part in &mut turn.parts {
            match &mut part.kind {
                PartKind::ToolCall(ToolCall { id, .. }) => {
                    let same = namesakes.entry(id.clone()).or_default();
                    *id = same.call(id, place, &mut taken);
                }
                PartKind::ToolResult(ToolResult { call_id, .. }) => {
                    let same = namesakes.get_mut(call_id);
                    if let Some(id) = same.and_then(|same| same.open.pop_front()) {
                        *call_id = id;
                    }
                }
                _ => {}
            }
        }
    }
}

fn id_of(part: &Part) -> Option<&String> {
    match &part.kind {
        PartKind::ToolCall(call) => Some(&call.id),
        PartKind::ToolResult(result) => Some(&result.call_id),
        _ => None,
    }
}

/// Calls that a client gave one id.
#[derive(Default)]
struct Namesakes {
    count: u32,
    /// The turn of the latest ones.
    turn: usize,
    /// Their ids, as long as no result was met, in the order in which results answer them.
    open: VecDeque<String>,
}

impl Namesakes {
    /// The id of the next call. One of an earlier turn that is still open was left without a result:
    /// results stand after their own calls.
    fn call(&mut self, id: &str, turn: usize, taken: &mut HashSet<String>) -> String {
        if turn != self.turn {
            self.turn = turn;
            self.open.clear();
        }
        self.count += 1;
        let mut own = id.to_owned();
        if self.count > 1 {
            own = format!("{id}_{}", self.count);
            while !taken.insert(own.clone()) {
                self.count += 1;
                own = format!("{id}_{}", self.count);
            }
        }
        self.open.push_back(own.clone());
        own
    }
}

/// One answer may come as several assistant turns (responses items); every other dialect wants its
/// calls in one message.
pub(super) fn merge_assistants(turns: &mut Vec<Turn>) {
    merge_where(turns, |earlier, later| {
        earlier.role == Role::Assistant && later.role == Role::Assistant
    });
}

fn merge_neighbours(turns: &mut Vec<Turn>) {
    merge_where(turns, |earlier, later| earlier.role == later.role);
}

fn merge_where(turns: &mut Vec<Turn>, fit: impl Fn(&Turn, &Turn) -> bool) {
    if !turns.windows(2).any(|pair| fit(&pair[0], &pair[1])) {
        return;
    }
    let mut merged: Vec<Turn> = Vec::with_capacity(turns.len());
    for turn in turns.drain(..) {
        match merged.last_mut() {
            Some(last) if fit(last, &turn) => {
                last.parts.extend(turn.parts);
                last.shape = ContentShape::Parts;
            }
            _ => merged.push(turn),
        }
    }
    *turns = merged;
}

/// Puts each call's result into the user turn right after it, makes one up where there is none, and
/// turns results without a call into plain text: vendors refuse both.
fn pair_results(turns: &mut Vec<Turn>, dropped: &mut Dropped) -> Result<(), Failure> {
    let mut results = take_results(turns, dropped)?;
    let mut paired = Vec::with_capacity(turns.len());
    for turn in turns.drain(..) {
        let calls = calls_of(&turn);
        paired.push(turn);
        if !calls.is_empty() {
            let answers = calls
                .iter()
                .map(|call| take_answer(&mut results, call))
                .collect();
            paired.push(Turn::new(Role::User, answers));
        }
    }
    *turns = paired;
    Ok(())
}

/// Takes every result that answers a call out of the turns, by call id; one that answers none stays
/// where it is, as text.
fn take_results(
    turns: &mut [Turn],
    dropped: &mut Dropped,
) -> Result<HashMap<String, Part>, Failure> {
    let calls = turns.iter().flat_map(calls_of);
    let mut open: HashSet<String> = calls.map(|call| call.id).collect();
    let mut results = HashMap::new();
    for turn in turns.iter_mut() {
        for mut part in std::mem::take(&mut turn.parts) {
            if let PartKind::ToolResult(result) = &part.kind {
                if open.remove(&result.call_id) {
                    results.insert(result.call_id.clone(), part);
                    continue;
                }
                dropped.note("tool_result")?;
                part = orphan_text(result);
            }
            turn.parts.push(part);
        }
    }
    Ok(results)
}

fn calls_of(turn: &Turn) -> Vec<ToolCall> {
    if turn.role != Role::Assistant {
        return Vec::new();
    }
    let call = |part: &Part| match &part.kind {
        PartKind::ToolCall(call) => Some(call.clone()),
        _ => None,
    };
    turn.parts.iter().filter_map(call).collect()
}

/// The result of this call, with the tool's name filled in (generate content needs it).
fn take_answer(results: &mut HashMap<String, Part>, call: &ToolCall) -> Part {
    let Some(mut part) = results.remove(&call.id) else {
        return Part::new(PartKind::ToolResult(ToolResult {
            call_id: call.id.clone(),
            name: Some(call.name.clone()),
            is_error: Some(true),
            is_free: matches!(call.arguments, crate::canonical::Arguments::Free(_)),
            parts: vec![Part::text("no result available")],
            shape: ContentShape::Text,
        }));
    };
    if let PartKind::ToolResult(result) = &mut part.kind {
        result.name.get_or_insert_with(|| call.name.clone());
    }
    part
}

fn orphan_text(result: &ToolResult) -> Part {
    let text: String = result.parts.iter().filter_map(Part::as_text).collect();
    Part::text(format!(
        "[tool result {}] {text}",
        result.name.as_deref().unwrap_or(&result.call_id)
    ))
}

/// Results come before everything else that the user says in that turn.
fn results_first(turns: &mut [Turn]) {
    for turn in turns.iter_mut().filter(|turn| turn.role == Role::User) {
        turn.parts
            .sort_by_key(|part| !matches!(part.kind, PartKind::ToolResult(_)));
    }
}

/// These vendors want a user turn first: system text alone becomes one, and a history that begins
/// with the model gets the shortest there is.
fn begin_with_user(request: &mut Request) {
    if request.turns.is_empty() && !request.system.is_empty() {
        let parts = std::mem::take(&mut request.system);
        request.turns.push(Turn::new(Role::User, parts));
    }
    if request
        .turns
        .first()
        .is_some_and(|turn| turn.role == Role::Assistant)
    {
        request
            .turns
            .insert(0, Turn::new(Role::User, vec![Part::text(".")]));
    }
}

/// Whether the last turn is the assistant's: it asks the model to go on with it.
pub(super) fn is_prefill(request: &Request) -> bool {
    let last = request.turns.last();
    last.is_some_and(|turn| turn.role == Role::Assistant)
}

/// Messages goes on with a given answer word by word, if its model does so at all.
fn check_prefill(request: &mut Request, target: &Target) -> Result<(), Failure> {
    if target.dialect != DialectId::Messages || !is_prefill(request) {
        return Ok(());
    }
    if !target.can.prefill {
        return Err(Failure::unsupported(
            "messages",
            "The last message is the assistant's, and this model does not continue a given answer.",
        ));
    }
    let last = request.turns.last_mut();
    let last = last.and_then(|turn| turn.parts.last_mut());
    if let Some(PartKind::Text { text, .. }) = last.map(|part| &mut part.kind) {
        text.truncate(text.trim_end().len());
    }
    Ok(())
}

/// Names of tools that the history calls.
pub(super) fn called_tools(request: &Request) -> Vec<String> {
    let mut seen = HashSet::new();
    let calls = request.turns.iter().flat_map(|turn| &turn.parts);
    calls
        .filter_map(|part| match &part.kind {
            PartKind::ToolCall(call) => Some(call.name.clone()),
            _ => None,
        })
        .filter(|name| seen.insert(name.clone()))
        .collect()
}

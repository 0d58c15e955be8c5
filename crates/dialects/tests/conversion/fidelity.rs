//! Recorded traffic, client by upstream: how much of what was meant survives. Prints three tables
//! and every refusal, and holds the conversion to its promise.

use std::collections::BTreeMap;

use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use serde_json::{Value, json};

use crate::calls::{self, BOTH_SIDES};
use crate::meaning::{self, ReplyMeaning};
use crate::recorded::Traffic;

/// What these requests ask for (tool namespaces, tools declared between turns) has no counterpart to
/// compare with.
const ONE_DIALECT_ONLY: [&str; 4] = [
    "responsesAdditionalToolsMultipleToolsParam",
    "responsesAdditionalToolsParam",
    "responsesProgrammaticToolCallingToolsParam",
    "responsesToolSearchInputParam",
];

/// How a check ended.
enum Verdict {
    Kept,
    Refused(String),
    Lost(Vec<String>),
}

#[derive(Default, Clone, Copy)]
struct Cell {
    kept: usize,
    tried: usize,
    refused: usize,
}

#[derive(Default)]
struct Score {
    cells: BTreeMap<(&'static str, DialectId, DialectId), Cell>,
    refusals: Vec<String>,
    losses: Vec<String>,
}

impl Score {
    fn count(
        &mut self,
        kind: &'static str,
        (client, upstream): (DialectId, DialectId),
        case: &str,
        verdict: Verdict,
    ) {
        let cell = self.cells.entry((kind, client, upstream)).or_default();
        cell.tried += 1;
        let title = format!("{kind} {} → {}: {case}", client.name(), upstream.name());
        match verdict {
            Verdict::Kept => cell.kept += 1,
            Verdict::Refused(reason) => {
                cell.refused += 1;
                self.refusals.push(format!("{title}: {reason}"));
            }
            Verdict::Lost(wrong) => self.losses.push(format!("{title}: {}", wrong.join("; "))),
        }
    }

    fn print(&self) {
        for kind in ["request", "reply", "stream"] {
            eprintln!("\n{kind}: kept/tried (refused); rows: client, columns: upstream");
            let head = BOTH_SIDES.map(|id| format!("{:>14}", id.name())).concat();
            eprintln!("{:12}{head}", "");
            for client in BOTH_SIDES {
                let row = BOTH_SIDES.map(|upstream| {
                    let cell = self.cells.get(&(kind, client, upstream));
                    let cell = cell.copied().unwrap_or_default();
                    format!(
                        "{:>14}",
                        format!("{}/{} ({})", cell.kept, cell.tried, cell.refused)
                    )
                });
                eprintln!("{:12}{}", client.name(), row.concat());
            }
        }
        for refusal in &self.refusals {
            eprintln!("refused: {refusal}");
        }
        for loss in &self.losses {
            eprintln!("lost: {loss}");
        }
    }
}

#[test]
fn recorded_traffic_keeps_its_meaning_between_any_two_dialects() {
    let Some(traffic) = Traffic::open() else {
        return;
    };
    let mut score = Score::default();
    for client in BOTH_SIDES {
        for upstream in BOTH_SIDES {
            for case in traffic.cases() {
                check_requests(&mut score, &traffic, case, client, upstream);
                check_answers(&mut score, &traffic, case, client, upstream);
            }
        }
    }
    score.print();
    let sum = |pick: fn(&Cell) -> usize| score.cells.values().map(pick).sum::<usize>();
    let (kept, tried, refused) = (sum(|c| c.kept), sum(|c| c.tried), sum(|c| c.refused));
    let fidelity = percent(kept, tried - refused);
    eprintln!(
        "\nrefused: {refused} of {tried}; the rest: {kept}/{} = {fidelity:.2} %",
        tried - refused
    );
    assert!(tried > 0, "there was something to check");
    assert!(fidelity >= 99.0, "too much is lost");
    assert!(percent(refused, tried) <= 2.0, "too much is refused");
    for ((kind, client, upstream), cell) in &score.cells {
        let fidelity = percent(cell.kept, cell.tried - cell.refused);
        assert!(
            fidelity >= 97.0,
            "{kind} {client:?} → {upstream:?}: {fidelity:.2} %"
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "some thousand checks")]
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        100.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

fn model(upstream: DialectId) -> String {
    format!("up-{}", upstream.name())
}

fn check_requests(
    score: &mut Score,
    traffic: &Traffic,
    case: &str,
    client: DialectId,
    upstream: DialectId,
) {
    if ONE_DIALECT_ONLY.contains(&case) && client != upstream {
        return;
    }
    for name in ["request", "followup-request"] {
        let Some(mut body) = traffic.load(case, client, name) else {
            continue;
        };
        name_model(client, upstream, &mut body);
        let verdict = match calls::send(client, upstream, &model(upstream), &body) {
            Err(failure) => failed(&failure),
            Ok(sent) => {
                let said = meaning::request(client, &body);
                let heard = meaning::request(upstream, &sent.body);
                verdict(meaning::compare_requests(client, &said, upstream, &heard))
            }
        };
        score.count(
            "request",
            (client, upstream),
            &format!("{case}/{name}"),
            verdict,
        );
    }
}

fn name_model(client: DialectId, upstream: DialectId, body: &mut Value) {
    let Some(map) = body.as_object_mut() else {
        return;
    };
    map.shift_remove("stream");
    if client == DialectId::GenerateContent {
        map.shift_remove("model");
    } else {
        map.insert("model".to_owned(), model(upstream).into());
    }
}

fn check_answers(
    score: &mut Score,
    traffic: &Traffic,
    case: &str,
    client: DialectId,
    upstream: DialectId,
) {
    for name in ["response", "followup-response"] {
        let Some(recorded) = traffic.load(case, upstream, name) else {
            continue;
        };
        let Some(said) = meaning::reply(upstream, &recorded) else {
            continue;
        };
        let verdict = answer(client, upstream, &recorded, &said);
        score.count(
            "reply",
            (client, upstream),
            &format!("{case}/{name}"),
            verdict,
        );
    }
    for name in ["response-streaming", "followup-response-streaming"] {
        let Some(Value::Array(recorded)) = traffic.load(case, upstream, name) else {
            continue;
        };
        let Ok(said) = meaning::stream(upstream, &recorded) else {
            continue;
        };
        let verdict = streamed(client, upstream, &recorded, &said);
        score.count(
            "stream",
            (client, upstream),
            &format!("{case}/{name}"),
            verdict,
        );
    }
}

fn answer(
    client: DialectId,
    upstream: DialectId,
    recorded: &Value,
    said: &ReplyMeaning,
) -> Verdict {
    let sent = calls::send(
        client,
        upstream,
        &model(upstream),
        &asking(client, upstream, said),
    );
    let heard = sent.and_then(|sent| calls::answer(upstream, client, recorded, &sent.context));
    match heard {
        Err(failure) => failed(&failure),
        Ok(body) => match meaning::reply(client, &body) {
            None => Verdict::Lost(vec!["no answer".to_owned()]),
            Some(heard) => verdict(meaning::compare_replies(said, client, &heard)),
        },
    }
}

fn streamed(
    client: DialectId,
    upstream: DialectId,
    recorded: &[Value],
    said: &ReplyMeaning,
) -> Verdict {
    let body = asking(client, upstream, said);
    let sent = match calls::send(client, upstream, &model(upstream), &body) {
        Ok(sent) => sent,
        Err(failure) => return failed(&failure),
    };
    let bytes = calls::as_stream(upstream, recorded);
    let out = calls::stream(upstream, client, &bytes, &sent.context);
    match meaning::stream(client, &calls::events_of(&out)) {
        Err(broken) => Verdict::Lost(vec![broken]),
        Ok(heard) => verdict(meaning::compare_replies(said, client, &heard)),
    }
}

/// A plain request that declares the tools that the recorded answer calls.
fn asking(client: DialectId, upstream: DialectId, said: &ReplyMeaning) -> Value {
    let mut body = match client {
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            json!({"messages": [{"role": "user", "content": "hello"}], "max_completion_tokens": 256})
        }
        DialectId::Messages => {
            json!({"messages": [{"role": "user", "content": "hello"}], "max_tokens": 256})
        }
        DialectId::GenerateContent => {
            json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}]})
        }
        DialectId::Responses => json!({"input": "hello"}),
    };
    let schema = json!({"type": "object", "properties": {}});
    let mut names: Vec<&String> = said.calls.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let declared = names.iter().map(|name| match client {
        DialectId::Messages => json!({"name": name, "input_schema": schema}),
        DialectId::GenerateContent => json!({"name": name, "parameters": schema}),
        DialectId::Responses => json!({"type": "function", "name": name, "parameters": schema}),
        _ => json!({"type": "function", "function": {"name": name, "parameters": schema}}),
    });
    let declared: Value = declared.collect();
    if !names.is_empty() {
        body["tools"] = match client {
            DialectId::GenerateContent => json!([{"functionDeclarations": declared}]),
            _ => declared,
        };
    }
    name_model(client, upstream, &mut body);
    body
}

fn verdict(wrong: Vec<String>) -> Verdict {
    if wrong.is_empty() {
        Verdict::Kept
    } else {
        Verdict::Lost(wrong)
    }
}

fn failed(failure: &Failure) -> Verdict {
    match failure.kind {
        FailureKind::BadRequest | FailureKind::Unsupported => {
            Verdict::Refused(failure.message.clone())
        }
        _ => Verdict::Lost(vec![format!("failed: {failure:?}")]),
    }
}

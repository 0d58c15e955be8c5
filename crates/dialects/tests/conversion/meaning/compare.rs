//! What got lost between two meanings. What a dialect has no words for is not asked of it.

use dialects::DialectId;

use super::reply::ReplyMeaning;
use super::request::{RequestMeaning, TurnMeaning};

/// Names each facet of a client's request that the upstream's request lost or changed.
pub fn compare_requests(
    source: DialectId,
    sent: &RequestMeaning,
    target: DialectId,
    got: &RequestMeaning,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |facet: &str, is_kept: bool, said: String, heard: String| {
        if !is_kept {
            wrong.push(format!("{facet}: {said} became {heard}"));
        }
    };
    let kept = system_is_kept(sent, got);
    check(
        "system",
        kept,
        format!("{:?}", sent.system),
        format!("{:?}", got.system),
    );
    if !sent.turns.is_empty() && !sent.has_system_between {
        let (said, heard) = (folded(sent, sent, target), folded(got, sent, target));
        check(
            "turns",
            said == heard,
            format!("{said:?}"),
            format!("{heard:?}"),
        );
    }
    let kept = sent.tools.is_empty() || sent.tools == got.tools;
    check(
        "tools",
        kept,
        format!("{:?}", sent.tools),
        format!("{:?}", got.tools),
    );
    let unsaid = sent
        .tool_choice
        .as_deref()
        .is_none_or(|choice| choice == "auto");
    let kept = sent.tool_choice == got.tool_choice
        || (unsaid && got.tool_choice.is_none())
        || sent.tool_choice.is_none();
    check(
        "tool_choice",
        kept,
        format!("{:?}", sent.tool_choice),
        format!("{:?}", got.tool_choice),
    );
    for (facet, said, heard) in numbers(source, sent, target, got) {
        let kept = said.is_none() || said == heard;
        check(facet, kept, format!("{said:?}"), format!("{heard:?}"));
    }
    let can_stop = target != DialectId::Responses;
    let kept = !can_stop || sent.stop.is_empty() || sent.stop == got.stop;
    check(
        "stop",
        kept,
        format!("{:?}", sent.stop),
        format!("{:?}", got.stop),
    );
    let kept = sent.schema.is_none() || sent.schema == got.schema;
    check(
        "schema",
        kept,
        format!("{:?}", sent.schema),
        format!("{:?}", got.schema),
    );
    let kept = !sent.is_json || got.is_json || target == DialectId::Messages;
    check("json", kept, "true".to_owned(), "false".to_owned());
    wrong
}

/// Every line of system text must be found somewhere in front of the model.
fn system_is_kept(sent: &RequestMeaning, got: &RequestMeaning) -> bool {
    let mut everything = without_blanks(&got.system.concat());
    for turn in &got.turns {
        everything += &without_blanks(&turn.text);
    }
    let lines = sent.system.iter().flat_map(|text| text.split('\n'));
    lines
        .into_iter()
        .all(|line| everything.contains(&without_blanks(line)))
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

fn folded(request: &RequestMeaning, sent: &RequestMeaning, target: DialectId) -> Vec<TurnMeaning> {
    let fold = |turn: &TurnMeaning| {
        let mut turn = turn.clone();
        turn.text = without_blanks(&turn.text);
        for result in &mut turn.results {
            *result = without_blanks(result);
        }
        // Chat completions carry a plain-text document as text.
        if sent.has_documents && target == DialectId::ChatCompletions {
            (turn.text, turn.media) = (String::new(), 0);
        }
        turn
    };
    request.turns.iter().map(fold).collect()
}

type Numbers = [(&'static str, Option<f64>, Option<f64>); 4];

fn numbers(
    source: DialectId,
    sent: &RequestMeaning,
    target: DialectId,
    got: &RequestMeaning,
) -> Numbers {
    let has_top_k = matches!(target, DialectId::Messages | DialectId::GenerateContent);
    let warmest = if target == DialectId::Messages {
        1.0
    } else {
        f64::INFINITY
    };
    let least = match (source, target) {
        (DialectId::Responses, _) => 0.0,
        (_, DialectId::Responses) => 16.0,
        _ => 0.0,
    };
    [
        (
            "max_tokens",
            sent.max_tokens.map(|n| n.max(least)),
            got.max_tokens,
        ),
        (
            "temperature",
            sent.temperature.map(|n| n.min(warmest)),
            got.temperature,
        ),
        ("top_p", sent.top_p, got.top_p),
        ("top_k", sent.top_k.filter(|_| has_top_k), got.top_k),
    ]
}

/// Names each facet of an upstream's answer that the client's answer lost or changed.
pub fn compare_replies(
    said: &ReplyMeaning,
    client: DialectId,
    heard: &ReplyMeaning,
) -> Vec<String> {
    let mut wrong = Vec::new();
    if said.text != heard.text {
        wrong.push(format!("text: {:?} became {:?}", said.text, heard.text));
    }
    if said.calls != heard.calls {
        wrong.push(format!("calls: {:?} became {:?}", said.calls, heard.calls));
    }
    // A refusal is a completed answer in the responses dialect.
    let is_refusal = |finish: Option<&str>| matches!(finish, Some("stop" | "filter"));
    let alike =
        client == DialectId::Responses && is_refusal(said.finish) && is_refusal(heard.finish);
    if said.finish.is_some() && said.finish != heard.finish && !alike {
        wrong.push(format!(
            "finish: {:?} became {:?}",
            said.finish, heard.finish
        ));
    }
    for (facet, said, heard) in [
        ("input", said.input, heard.input),
        ("output", said.output, heard.output),
        ("cached", said.cached, heard.cached),
    ] {
        if said.is_some() && said != heard {
            wrong.push(format!("{facet}: {said:?} became {heard:?}"));
        }
    }
    wrong
}

//! Where answers are cut.

use super::*;
use crate::DialectId;
use crate::canonical::{At, Usage};
use crate::fold::Fold;

fn streamed(pieces: &[&str]) -> Reply {
    let mut fold = Fold::new(DialectId::Responses);
    play(pieces, &mut fold);
    fold.finish().unwrap()
}

fn play(pieces: &[&str], sink: &mut dyn EventSink) {
    let at = At { choice: 0, part: 0 };
    sink.event(Event::Start {
        id: "r",
        model: "m",
        created: None,
    });
    sink.event(Event::PartStart {
        at,
        head: PartHead::Text,
    });
    for text in pieces {
        sink.event(Event::Text { at, text });
    }
    sink.event(Event::PartEnd { at });
    let finish = Finish::new(FinishReason::Stop, "completed");
    sink.event(Event::Finish {
        choice: 0,
        finish: &finish,
    });
    sink.event(Event::Usage(&Usage {
        output: Some(9),
        ..Usage::default()
    }));
    sink.event(Event::End);
}

fn cut(pieces: &[&str], stop: &[&str]) -> Reply {
    let stop: Vec<String> = stop.iter().map(|s| (*s).to_owned()).collect();
    let mut whole = streamed(&[&pieces.concat()]);
    StopCut::new(&stop).unwrap().reply(&mut whole);
    let mut cut = StopCut::new(&stop).unwrap();
    let mut fold = Fold::new(DialectId::Responses);
    play(pieces, &mut |event: Event<'_>| cut.event(event, &mut fold));
    let folded = fold.finish().unwrap();
    assert_eq!(folded, whole, "streamed and whole agree");
    folded
}

#[test]
fn text_ends_before_the_first_stop_sequence_even_when_it_is_cut_across_pieces() {
    let reply = cut(&["one E", "N", "D two END"], &["END", "three"]);
    assert_eq!(reply.choices[0].parts[0].as_text(), Some("one "));
    let met = FinishReason::StopSequence("END".into());
    assert_eq!(reply.choices[0].finish.reason, met);
    assert_eq!(reply.usage.unwrap().output, Some(9));
}

#[test]
fn text_without_a_stop_sequence_is_whole() {
    let reply = cut(&["one E", "Nd ü", "🎉 EN"], &["END", "🎉!"]);
    assert_eq!(reply.choices[0].parts[0].as_text(), Some("one ENd ü🎉 EN"));
    assert_eq!(reply.choices[0].finish.reason, FinishReason::Stop);
}

fn begins(choice: u32, part: u32, head: PartHead<'static>) -> Event<'static> {
    let at = At { choice, part };
    Event::PartStart { at, head }
}

fn says(choice: u32, part: u32, text: &'static str) -> Event<'static> {
    let at = At { choice, part };
    Event::Text { at, text }
}

fn calls(id: &'static str) -> PartHead<'static> {
    PartHead::ToolCall {
        id,
        name: "f",
        namespace: None,
        is_free: false,
    }
}

/// An answer of these events, cut at `END`.
fn cut_events(events: &[Event<'_>], choices: u32) -> Reply {
    let mut cut = StopCut::new(&["END".to_owned()]).unwrap();
    let mut fold = Fold::new(DialectId::ChatCompletions);
    let finish = Finish::new(FinishReason::Stop, "stop");
    let finish = &finish;
    let ends = (0..choices).map(|choice| Event::Finish { choice, finish });
    let ends = ends.chain([Event::End]);
    for event in events.iter().copied().chain(ends) {
        cut.event(event, &mut fold);
    }
    fold.finish().unwrap()
}

#[test]
fn each_choice_is_cut_for_itself() {
    let reply = cut_events(
        &[
            begins(0, 0, PartHead::Text),
            begins(1, 0, PartHead::Text),
            says(0, 0, "one E"),
            says(1, 0, "two"),
            says(0, 0, "ND three"),
            says(1, 0, " four E"),
            says(1, 0, "ast"),
        ],
        2,
    );
    let text = |choice: usize| reply.choices[choice].parts[0].as_text();
    assert_eq!((text(0), text(1)), (Some("one "), Some("two four East")));
    let finish = |choice: usize| &reply.choices[choice].finish.reason;
    assert_eq!(finish(0), &FinishReason::StopSequence("END".into()));
    assert_eq!(finish(1), &FinishReason::Stop);
}

#[test]
fn calls_beside_a_text_keep_what_is_theirs() {
    let arguments = |part: u32, text: &'static str| Event::Arguments {
        at: At { choice: 0, part },
        text,
    };
    let ends = |part: u32| Event::PartEnd {
        at: At { choice: 0, part },
    };
    // The text goes on while a call is made; its end waits for what might come.
    let reply = cut_events(
        &[
            begins(0, 0, PartHead::Text),
            says(0, 0, "one E"),
            begins(0, 1, calls("a")),
            arguments(1, "{}"),
            says(0, 0, "N"),
            ends(0),
            ends(1),
        ],
        1,
    );
    assert_eq!(reply.choices[0].parts[0].as_text(), Some("one EN"));
    // A call before the cut is whole, one after it is not shown.
    let reply = cut_events(
        &[
            begins(0, 0, calls("a")),
            arguments(0, r#"{"a":"#),
            begins(0, 1, PartHead::Text),
            says(0, 1, "one END"),
            arguments(0, "1}"),
            ends(0),
            begins(0, 2, calls("b")),
            arguments(2, "{}"),
            ends(2),
        ],
        1,
    );
    let parts = &reply.choices[0].parts;
    let PartKind::ToolCall(call) = &parts[0].kind else {
        panic!("a call")
    };
    assert_eq!((parts.len(), call.arguments.text()), (2, r#"{"a":1}"#));
    assert_eq!(reply.choices[0].finish.reason, FinishReason::ToolCalls);
}

//! Walking: what is accepted, where it breaks, what is remembered.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::*;

fn walked(text: &[u8]) -> Result<&[u8], Broken> {
    let mut walk = Walk::new(text);
    let value = walk.skip()?;
    walk.end().map(|()| value)
}

/// The same through the other way of walking, one level at a time.
fn stepped(text: &[u8]) -> Result<(), Broken> {
    fn step(walk: &mut Walk<'_>) -> Result<(), Broken> {
        match walk.kind()? {
            Kind::Object => walk.members(|_, walk| step(walk)),
            Kind::List => walk.entries(step),
            _ => walk.skip().map(|_| ()),
        }
    }
    let mut walk = Walk::new(text);
    step(&mut walk)?;
    walk.end()
}

fn agrees_with_the_parser(text: &[u8]) {
    let parsed = serde_json::from_slice::<IgnoredAny>(text).is_ok();
    let shown = String::from_utf8_lossy(text);
    assert_eq!(walked(text).is_ok(), parsed, "{shown}");
    assert_eq!(stepped(text).is_ok(), parsed, "{shown}");
}

#[test]
fn it_is_as_strict_as_the_parser() {
    for text in [
        r#" {"a" : [1, -0.5e+7, true,false , null,"x\u00e9\n\/"], "":{} ,"b":[ ]} "#,
        "0",
        "-0",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e5",
        "1E-5x",
        "+1",
        "--1",
        "0x1",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123",
        "\"a\nb\"",
        "\"\u{7f}ü😀\"",
        "{",
        "}",
        "{}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "[",
        "]",
        "[]",
        "[,]",
        "[1,]",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "[[[]]]",
        "[]]",
        "tru",
        "true",
        "truefalse",
        "nul",
        "fals",
        "",
        " ",
        "1 1",
        "{}{}",
        "\u{feff}{}",
        "\"12345678\"",
        "\"1234567\\\"89012345\\\\\"",
        "\"1234567\u{1}\"",
        "{\n         \"a\" :\t\r\n [ 1 ,\n                  2\n]\n}\n        ",
        "[1,\n        \u{b}2]",
    ] {
        agrees_with_the_parser(text.as_bytes());
    }
}

#[test]
fn names_are_read_as_they_are_meant() {
    let mut names = Vec::new();
    let text = br#"{"a":1,"b\u0063\"":[{"x":2}],"\ud800":3}"#;
    let mut walk = Walk::new(text);
    let walked = walk.members(|name, walk| {
        names.push(String::from_utf8(name.to_vec()).expect("ASCII"));
        walk.skip().map(|_| ())
    });
    assert_eq!(walked, Ok(()));
    assert_eq!(names, ["a", "bc\"", "\\ud800"]);
}

static USUAL: [Usual<&str>; 4] = Usual::all([
    ("id", "id"),
    ("model", "model"),
    ("usage", "usage"),
    ("error", "error"),
]);

/// The members of a text, those that are usual by their names.
fn usual(text: &[u8]) -> (Vec<Option<&'static str>>, Result<(), Broken>) {
    let mut names = Vec::new();
    let walked = Walk::new(text).usual_members(&USUAL, |name, walk| {
        names.push(name);
        walk.past()
    });
    (names, walked)
}

/// The same in the other way.
fn looked_up(text: &[u8]) -> (Vec<Option<&'static str>>, Result<(), Broken>) {
    let mut names = Vec::new();
    let walked = Walk::new(text).members(|name, walk| {
        names.push(Usual::place(&USUAL, name).map(|place| USUAL[place].what));
        walk.past()
    });
    (names, walked)
}

#[test]
fn usual_members_are_told_apart_wherever_they_stand() {
    let rest = "x".repeat(40);
    for text in [
        r#"{"id":1,"model":"m","usage":{},"error":null,"x":[]}"#,
        r#"{"error":null,"usage":{"id":1},"model":"m","id":1}"#,
        r#"{"id":1,"id":2,"usage":3,"usage":4,"object":5,"model":6}"#,
        r#"{ "id" : 1 , "model":"m","usage":{} }"#,
        r#"{"i\u0064":1,"model":2,"ids":3,"usag":4}"#,
        "{\n  \"id\": 1,\n  \"model\": 2,\n  \"usage\": 3\n}",
        r#"{"id":1,"model" 2}"#,
        r#"{"id":,"model":2}"#,
        r#"{"id":1"#,
        "{}",
        "[]",
    ] {
        assert_eq!(usual(text.as_bytes()), looked_up(text.as_bytes()), "{text}");
        let longer = format!("{text}{rest}");
        assert_eq!(
            usual(longer.as_bytes()),
            looked_up(longer.as_bytes()),
            "{longer}"
        );
    }
}

#[test]
fn a_whole_number_is_gone_past_and_nothing_else_is() {
    for (text, number) in [
        ("0", Some(0)),
        ("7 ", Some(7)),
        (" 1234567890123456789,", Some(1_234_567_890_123_456_789)),
        ("18446744073709551616", None),
        ("01", None),
        ("1.5", None),
        ("1e3", None),
        ("2E1", None),
        ("-1", None),
        ("\"1\"", None),
        ("null", None),
        ("", None),
    ] {
        let mut walk = Walk::new(text.as_bytes());
        assert_eq!(walk.whole(), number, "{text}");
        let rest = if number.is_some() { "" } else { text };
        let left = &text[walk.at..];
        assert_eq!(left.trim_matches([' ', ',']), rest, "{text}");
    }
}

#[test]
fn deep_nesting_is_refused_however_it_is_met() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (depth, fits) in [(127, true), (128, false), (100_000, false)] {
        let text = nested(depth);
        assert_eq!(walked(text.as_bytes()).is_ok(), fits, "{depth}");
        assert_eq!(stepped(text.as_bytes()).is_ok(), fits, "{depth}");
        let parsed = serde_json::from_str::<serde_json::Value>(&text);
        assert_eq!(parsed.is_ok(), fits, "{depth}");
    }
}

proptest! {
    #[test]
    fn spoiled_texts_are_judged_as_the_parser_judges_them(
        at in 0_usize..200,
        byte in proptest::sample::select(br#"{}[]",:\ntfu0123456789eE+-. abc"#.to_vec()),
    ) {
        let mut text = br#"{"model":"m","n":[1,-2.5e3,0],"deep":{"a":[{"b":"c\\\"\u00fc d"},null]},
            "flag":true,"text":"some longer words with \"quotes\" and\nbreaks","e":{}}"#.to_vec();
        let at = at % text.len();
        text[at] = byte;
        agrees_with_the_parser(&text);
        text.remove(at);
        agrees_with_the_parser(&text);
    }

    #[test]
    fn spoiled_members_are_told_apart_as_others_are(
        at in 0_usize..200,
        byte in proptest::sample::select(br#"{}[]",:\ntfu0123456789eE+-. abc"#.to_vec()),
    ) {
        let mut text = br#"{"id":"c","object":"chat","model":"m\u00e9","usage":{"id":[1,2]},
            "created":17,"error":null,"tier":"some words that are not so short"}"#.to_vec();
        let at = at % text.len();
        text[at] = byte;
        prop_assert_eq!(usual(&text), looked_up(&text));
        text.remove(at);
        prop_assert_eq!(usual(&text), looked_up(&text));
    }

    #[test]
    fn the_text_of_a_value_is_what_the_parser_gives(words in "\\PC{0,40}", number in any::<i64>()) {
        let text = format!("  [{}, {number}]  ", serde_json::Value::String(words));
        let raw: &RawValue = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(walked(text.as_bytes()).expect("JSON"), raw.get().as_bytes());
    }
}

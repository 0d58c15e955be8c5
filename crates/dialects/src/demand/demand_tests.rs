//! The table holds under every dialect and spelling.

use super::*;
use crate::DialectId::{
    self, ChatCompletions, GenerateContent, Messages, Responses, TextCompletions,
};
use crate::canonical::Failure;
use crate::scan::scan;

const PLAIN: [DialectId; 4] = [ChatCompletions, TextCompletions, Messages, Responses];

fn start(id: DialectId) -> &'static str {
    match id {
        ChatCompletions => r#""model":"m","messages":[]"#,
        TextCompletions => r#""model":"m","prompt":"a""#,
        Messages => r#""model":"m","messages":[{"role":"user","content":"a"}]"#,
        Responses => r#""model":"m","input":"a""#,
        GenerateContent => r#""contents":[]"#,
    }
}

/// A body with these members more.
fn read(id: DialectId, more: &str) -> Result<Demand, Failure> {
    let needs_cap = id == Messages && !more.contains("\"max_tokens\":");
    let cap = if needs_cap { r#","max_tokens":1"# } else { "" };
    let body = format!("{{{}{cap},{more}}}", start(id));
    scan(id, body.as_bytes()).map(|found| found.demand)
}

fn demand(id: DialectId, more: &str) -> Demand {
    read(id, more).unwrap_or_else(|failure| panic!("{id:?} {more}: {failure}"))
}

fn refused(id: DialectId, more: &str) -> String {
    let failure = read(id, more).expect_err(more);
    failure.param.unwrap_or_default()
}

/// What is reserved for each choice where the model itself may say 4096.
fn reserved(id: DialectId, more: &str) -> u64 {
    let found = demand(id, more);
    let cap = found.cap(|| 4096);
    (cap + found.beside(cap)) * found.times()
}

#[test]
fn the_largest_cap_counts_whichever_dialect_it_belongs_to() {
    let both = r#""max_completion_tokens":1,"max_tokens":100000"#;
    for id in PLAIN {
        assert!(reserved(id, both) >= 100_000, "{id:?}");
        let foreign = r#""max_tokens":5,"max_output_tokens":70000"#;
        assert_eq!(reserved(id, foreign), 70_000, "{id:?}");
        for name in cap_names() {
            let more = format!(r#""max_tokens":5,"{name}":9999"#)
                .replace(r#""max_tokens":5,"max_tokens""#, r#""max_tokens""#);
            assert!(reserved(id, &more) >= 9999, "{id:?} {name}");
        }
    }
    // A cap that an upstream may not know leaves the model's own.
    let foreign = r#""max_output_tokens":1"#;
    assert_eq!(reserved(ChatCompletions, foreign), 4096);
    assert_eq!(reserved(Responses, foreign), 1);
    assert_eq!(reserved(TextCompletions, r#""max_tokens":0"#), 0);
    assert_eq!(
        reserved(ChatCompletions, r#""max_tokens":5,"n_predict":-1"#),
        4096
    );
    let own = r#""generationConfig":{"max_output_tokens":"7"}"#;
    assert_eq!(reserved(GenerateContent, own), 7);
}

#[test]
fn every_multiplier_multiplies_and_every_budget_adds() {
    assert_eq!(
        reserved(ChatCompletions, r#""max_tokens":10,"n":2,"best_of":3"#),
        60
    );
    assert_eq!(
        reserved(ChatCompletions, r#""max_tokens":10,"candidateCount":4"#),
        40
    );
    assert_eq!(
        reserved(
            ChatCompletions,
            r#""max_tokens":10,"reasoning":{"max_tokens":5}"#
        ),
        15
    );
    assert_eq!(
        reserved(
            GenerateContent,
            r#""generation_config":{"maxOutputTokens":10,"candidate_count":2,
            "thinkingConfig":{"thinking_budget":30}}"#
        ),
        80
    );
    // Messages counts a smaller budget as part of its cap.
    let budget = |cap: u64| {
        format!(r#""max_tokens":{cap},"thinking":{{"type":"enabled","budget_tokens":2000}}"#)
    };
    assert_eq!(reserved(Messages, &budget(5000)), 5000);
    assert_eq!(reserved(Messages, &budget(1000)), 3000);
    let predicted = demand(
        ChatCompletions,
        r#""prediction":{"type":"content","content":"abc"}"#,
    );
    assert!(predicted.beside(1) > 30);
}

#[test]
fn a_lowered_cap_leaves_room_for_what_comes_in_addition() {
    let found = demand(
        ChatCompletions,
        r#""max_tokens":100,"reasoning":{"max_tokens":30}"#,
    );
    assert_eq!(found.cap_within(50), Some(20));
    assert_eq!(found.cap_within(30), None);
    let found = demand(
        Messages,
        r#""max_tokens":100,"thinking":{"budget_tokens":30}"#,
    );
    assert_eq!(
        (found.cap_within(50), found.cap_within(30)),
        (Some(50), None)
    );
}

#[test]
fn wrong_types_and_absurd_numbers_are_refused_by_name() {
    for id in PLAIN {
        for bad in [
            "-5",
            "0",
            "\"5\"",
            "1.5",
            "true",
            "[1]",
            "10000001",
            "1e3",
            "99999999999999999999",
        ] {
            if id == TextCompletions && bad == "0" {
                continue;
            }
            assert_eq!(
                refused(id, &format!(r#""max_tokens":{bad}"#)),
                "max_tokens",
                "{id:?} {bad}"
            );
        }
        for field in ["n", "best_of"] {
            for bad in ["0", "-1", "129", "20000", "\"2\"", "1.0"] {
                assert_eq!(
                    refused(id, &format!(r#""{field}":{bad}"#)),
                    field,
                    "{id:?} {bad}"
                );
            }
        }
        for bad in ["\"hot\"", "-1", "101", "[]"] {
            assert_eq!(
                refused(id, &format!(r#""temperature":{bad}"#)),
                "temperature",
                "{id:?} {bad}"
            );
        }
        assert!(
            read(
                id,
                r#""n":null,"best_of":null,"temperature":null,"tools":null,"top_p":null,
            "service_tier":null,"web_search_options":null,"reasoning":null,"thinking":null"#
            )
            .is_ok()
        );
        assert!(
            demand(
                id,
                r#""n":1,"web_search_options":null,"enable_search":false"#
            )
            .extra()
            .is_empty()
        );
    }
    for (more, field) in [
        (
            r#""generationConfig":{"maxOutputTokens":-5}"#,
            "generationConfig.maxOutputTokens",
        ),
        (
            r#""generationConfig":{"candidateCount":0}"#,
            "generationConfig.candidateCount",
        ),
        (
            r#""generationConfig":{"temperature":"hot"}"#,
            "generationConfig.temperature",
        ),
        (r#""generationConfig":7"#, "generationConfig"),
    ] {
        assert_eq!(refused(GenerateContent, more), field);
    }
    let texts =
        r#""generationConfig":{"maxOutputTokens":"5","temperature":"0.5","candidateCount":"1"}"#;
    assert!(read(GenerateContent, texts).is_ok());
}

#[test]
fn names_are_compared_as_they_are_meant() {
    for id in PLAIN {
        assert_eq!(demand(id, r#""\u006e":3"#).times(), 3, "{id:?}");
        assert!(
            !demand(id, r#""web_search_option\u0073":{}"#)
                .extra()
                .is_empty()
        );
        assert_eq!(refused(id, r#""n":3,"\u006e":1"#), "n");
        assert_eq!(refused(id, r#""N":3"#), "N");
        assert_eq!(refused(id, r#""Max_Tokens":3"#), "Max_Tokens");
        assert!(read(id, r#""reasoning":{"max_token\u0073":5,"max_tokens":6}"#).is_err());
    }
    let found = demand(
        ChatCompletions,
        r#""max_tokens":1,"r\u0065asoning":{"max_token\u0073":5}"#,
    );
    assert_eq!(found.beside(1), 5);
}

/// The charges of a body: name, charge, and bound.
fn charges(id: DialectId, more: &str) -> Vec<(String, Option<String>, Bound)> {
    let found = demand(id, more);
    let all = found.extra().iter();
    all.map(|(extra, bound)| (extra.name.clone(), extra.charge.clone(), bound))
        .collect()
}

#[test]
fn hosted_tools_are_found_with_their_bounds() {
    let search = || Some("web_search_requests".to_owned());
    for (id, tool, charge, bound) in [
        (
            Messages,
            r#"{"type":"web_search_20250305","name":"web_search","max_uses":3}"#,
            search(),
            Bound::Uses(3),
        ),
        (
            Messages,
            r#"{"ty\u0070e":"web_s\u0065arch_20260209"}"#,
            search(),
            Bound::Unlimited,
        ),
        (
            Messages,
            r#"{"type":"web_fetch_20250910","max_uses":2}"#,
            None,
            Bound::Uses(2),
        ),
        (
            Messages,
            r#"{"type":"bash_hosted"}"#,
            Some("bash_hosted".to_owned()),
            Bound::Unlimited,
        ),
        (
            Responses,
            r#"{"type":"web_search"}"#,
            search(),
            Bound::Unlimited,
        ),
        (
            Responses,
            r#"{"type":"code_interpreter","container":{"type":"auto"}}"#,
            Some("code_interpreter_requests".to_owned()),
            Bound::Unlimited,
        ),
        (
            Responses,
            r#"{"type":"shell","environment":{"type":"container_auto"}}"#,
            Some("shell_requests".to_owned()),
            Bound::Unlimited,
        ),
        (
            Responses,
            r#"{"type":"namespace","name":"x","tools":[{"type":"web_search"}]}"#,
            search(),
            Bound::Unlimited,
        ),
        (
            ChatCompletions,
            r#"{"type":"builtin_function"}"#,
            Some("builtin_function".to_owned()),
            Bound::Unlimited,
        ),
        (
            ChatCompletions,
            r#"{"type":"web_search","max_uses":1}"#,
            search(),
            Bound::Unlimited,
        ),
        (
            GenerateContent,
            r#"{"google_search":{}}"#,
            search(),
            Bound::OneByAnswer,
        ),
        (
            GenerateContent,
            r#"{"googleMaps":{}}"#,
            Some("google_maps_requests".to_owned()),
            Bound::Unlimited,
        ),
        (
            GenerateContent,
            r#"{"somethingNew":{}}"#,
            Some("somethingNew".to_owned()),
            Bound::Unlimited,
        ),
    ] {
        let found = charges(id, &format!(r#""tools":[{tool}]"#));
        let found: Vec<_> = found
            .into_iter()
            .map(|(_, charge, bound)| (charge, bound))
            .collect();
        assert_eq!(found, [(charge, bound)], "{tool}");
    }
}

#[test]
fn tools_of_the_client_are_no_hosted_tools() {
    for (id, tools) in [
        (
            Messages,
            r#"[{"name":"a","input_schema":{}},{"type":"custom"},{"type":"bash_20250124"},{"type":"computer_20250124"},
            {"type":"text_editor_20250728"},{"type":"memory_20250818"}]"#,
        ),
        (
            Responses,
            r#"[{"type":"function","max_uses":3},{"type":"custom"},{"type":"local_shell"},
            {"type":"shell","environment":{"type":"local"}},{"type":"computer_use_preview"}]"#,
        ),
        (
            ChatCompletions,
            r#"[{"type":"function","function":{"name":"web_search"}},{"function":{}}]"#,
        ),
        (
            GenerateContent,
            r#"[{"functionDeclarations":[{"name":"googleSearch"}]},{"googleSearch":null}]"#,
        ),
    ] {
        assert_eq!(charges(id, &format!(r#""tools":{tools}"#)), [], "{tools}");
    }
    let declared = r#""previous_response_id":"r","tools":[],"max_output_tokens":1"#;
    assert_eq!(charges(Responses, declared), []);
}

#[test]
fn a_limit_on_calls_of_tools_bounds_hosted_tools_of_responses() {
    let limited = charges(
        Responses,
        r#""max_tool_calls":4,"tools":[{"type":"web_search"}]"#,
    );
    assert_eq!(limited[0].2, Bound::Uses(4));
    let unlimited = charges(
        ChatCompletions,
        r#""max_tool_calls":4,"tools":[{"type":"web_search"}]"#,
    );
    assert_eq!(unlimited[0].2, Bound::Unlimited);
}

#[test]
fn other_charges_are_found() {
    for (more, charge, bound) in [
        (
            r#""web_search_options":{}"#,
            "web_search_requests",
            Bound::Uses(1),
        ),
        (
            r#""enable_search":true"#,
            "web_search_requests",
            Bound::Unlimited,
        ),
        (
            r#""plugins":[{"id":"web","max_results":3}]"#,
            "plugin_web",
            Bound::Uses(3),
        ),
        (
            r#""plugins":[{"id":"file-parser"}]"#,
            "plugin_file-parser",
            Bound::Unlimited,
        ),
        (
            r#""search_parameters":{"mode":"auto"}"#,
            "search_sources",
            Bound::Uses(50),
        ),
        (
            r#""search_parameters":{"max_search_results":5}"#,
            "search_sources",
            Bound::Uses(5),
        ),
        (
            r#""service_tier":"priority""#,
            "service_tier_priority",
            Bound::Uses(1),
        ),
        (r#""speed":"fast""#, "speed_fast", Bound::Uses(1)),
    ] {
        for id in PLAIN {
            let found = charges(id, more);
            assert_eq!(found.len(), 1, "{id:?} {more}");
            assert_eq!(
                (found[0].1.as_deref(), found[0].2),
                (Some(charge), bound),
                "{id:?} {more}"
            );
        }
    }
    for id in PLAIN {
        let idle = r#""search_parameters":{"mode":"off"},"plugins":[],"service_tier":"auto","mcp_servers":[]"#;
        assert_eq!(charges(id, idle), [], "{id:?}");
    }
    assert_eq!(refused(ChatCompletions, r#""plugins":"web""#), "plugins");
    let declared =
        r#"{"model":"m","input":[{"type":"additional_tools","tools":[{"type":"web_search"}]}]}"#;
    let found = scan(Responses, declared.as_bytes()).expect("it reads");
    assert!(!found.demand.extra().is_empty());
}

#[test]
fn a_body_has_few_hosted_tools() {
    let tools: Vec<String> = (0..200)
        .map(|n| format!(r#"{{"type":"new_{n}"}}"#))
        .collect();
    let more = format!(r#""tools":[{}]"#, tools.join(","));
    assert_eq!(refused(ChatCompletions, &more), "tools");
}

#[test]
fn bodies_are_unicode() {
    for id in DialectId::ALL {
        for bad in [
            r#""\ud800""#,
            r#""a\udc00b""#,
            r#""\ud83dx""#,
            r#""\uD83D\uD83D""#,
            r#"{"\ud800":1}"#,
        ] {
            assert_eq!(
                refused(id, &format!(r#""metadata":[{bad}]"#)),
                "body",
                "{id:?} {bad}"
            );
        }
        for good in [
            r#""\ud83d\ude00""#,
            r#""\\ud800""#,
            r#""\uD83D\uDE00é\u00e9\u0000""#,
        ] {
            assert!(
                read(id, &format!(r#""metadata":[{good}]"#)).is_ok(),
                "{id:?} {good}"
            );
        }
        let mut body = format!(r#"{{{},"max_tokens":1,"metadata":"x"}}"#, start(id)).into_bytes();
        let at = body.len() - 3;
        body[at] = 0xff;
        let failure = scan(id, &body).expect_err("it is not UTF-8");
        assert_eq!(failure.param.as_deref(), Some("body"), "{id:?}");
    }
}

/// The names in a table and in those inside of it.
fn names(table: &'static Table, found: &mut Vec<&'static str>) {
    for field in table.fields() {
        found.push(field.name);
        if let Rule::Inside(inner, _) = field.rule {
            names(inner, found);
        }
    }
}

#[test]
fn the_documentation_lists_every_field() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/billing.md");
    let docs = std::fs::read_to_string(docs).expect("the documentation");
    let mut all = Vec::new();
    names(&COMMON, &mut all);
    names(&GENERATE, &mut all);
    for name in all {
        assert!(
            docs.contains(&format!("`{name}`")),
            "docs/billing.md does not name `{name}`"
        );
    }
}

//! What is bounded and priced is reserved; what is not needs a group that allows it.

use dialects::DialectId;
use dialects::scan::scan;
use serde_json::{Value, json};

use super::*;

fn sheet(prices: &Value) -> PriceSheet {
    PriceSheet::from_json(&json!({"input": "1", "output": "1", "hosted_tools": prices}))
        .expect("a sheet")
}

fn reserved(
    body: &Value,
    sheet: Option<&PriceSheet>,
    is_open: bool,
    upstream_model: &str,
) -> Result<ExtraReserved, Failure> {
    let id = if body.get("contents").is_some() {
        DialectId::GenerateContent
    } else {
        DialectId::Messages
    };
    let text = body.to_string();
    let found = scan(id, text.as_bytes()).expect("it reads");
    let rules = ExtraRules {
        sheet,
        upstream_model: Some(upstream_model),
        is_open,
        uses: 10,
        tokens: 100,
    };
    ExtraReserved::of(found.demand.extra(), &rules)
}

fn asking(tools: &Value) -> Value {
    json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}], "tools": tools})
}

#[test]
fn a_search_needs_a_price_and_a_bound_or_an_open_group() {
    let priced = sheet(&json!({"web_search_requests": "0.01"}));
    let unpriced = sheet(&json!({}));
    let limited = asking(&json!([{"type": "web_search_20250305", "max_uses": 3}]));
    let unlimited = asking(&json!([{"type": "web_search_20250305"}]));
    let found = reserved(&limited, Some(&priced), false, "m").expect("it is bounded");
    assert_eq!(found.uses["web_search_requests"], 3);
    assert_eq!(
        (found.input, found.fewest, found.is_bounded),
        (300, Some(3), true)
    );
    let found = reserved(&unlimited, Some(&priced), true, "m").expect("the group is open");
    assert_eq!(found.uses["web_search_requests"], 10);
    assert!(!found.is_bounded);
    for (body, sheet, is_open) in [
        (&unlimited, Some(&priced), false),
        (&limited, Some(&unpriced), false),
        (&limited, Some(&unpriced), true),
    ] {
        let failure = reserved(body, sheet, is_open, "m").expect_err("it is not bounded");
        assert_eq!(failure.kind, FailureKind::Forbidden);
        assert!(
            failure.message.contains("web_search_20250305"),
            "{}",
            failure.message
        );
    }
    // A model without a price is free, if the operator allows that, and so are its tools.
    assert!(reserved(&unlimited, None, false, "m").is_ok());
}

#[test]
fn a_search_of_older_models_is_one_by_an_answer() {
    let priced = sheet(&json!({"web_search_requests": "0.01"}));
    let body = json!({"contents": [], "tools": [{"googleSearch": {}}]});
    let found = reserved(&body, Some(&priced), false, "gemini-2.5-pro").expect("it is bounded");
    assert_eq!(found.uses["web_search_requests"], 1);
    assert!(reserved(&body, Some(&priced), false, "gemini-3-pro").is_err());
}

#[test]
fn tools_that_only_add_input_need_no_price() {
    let priced = sheet(&json!({}));
    let body =
        asking(&json!([{"type": "web_fetch_20250910", "max_uses": 2}, {"type": "mcp_toolset"}]));
    let found = reserved(&body, Some(&priced), false, "m").expect("they cost tokens");
    assert_eq!((found.uses.len(), found.input), (0, 1200));
    let unknown = asking(&json!([{"type": "something_new"}]));
    assert!(reserved(&unknown, Some(&priced), true, "m").is_err());
}

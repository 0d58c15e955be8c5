//! Generated bodies against a vendor that uses everything that any reading of the body allows it. The vendor reads the
//! parsed body by rules of its own, which share no code with the table that reservations are made from.

use std::net::{IpAddr, Ipv4Addr};

use billing::pricing::{Multiplier, PriceSheet, Tokens, Usage, charge, worst_case};
use dialects::scan::scan;
use serde_json::{Map, Value, json};

use super::*;
use crate::middleware::{Caller, Head};
use crate::model_call::spelled::Spelled;

const BODIES: usize = 10_000;
const RULE_USES: u64 = 10;
const RULE_TOKENS: u64 = 100;
const CAPS: [&str; 8] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "max_new_tokens",
    "max_tokens_to_sample",
    "n_predict",
    "num_predict",
];
const TIMES: [&str; 5] = [
    "n",
    "best_of",
    "candidate_count",
    "candidateCount",
    "num_return_sequences",
];

/// Numbers that a seed makes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        let index = usize::try_from(self.below(of.len() as u64)).expect("a place");
        of[index]
    }

    fn is_one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }

    /// A name, sometimes with an escape in it.
    fn name(&mut self, name: &str) -> String {
        if !self.is_one_in(3) {
            return format!("\"{name}\"");
        }
        let at = self.below(name.len() as u64);
        let letters = name.bytes().zip(0..).map(|(letter, index)| {
            if index == at {
                format!("\\u{letter:04x}")
            } else {
                char::from(letter).to_string()
            }
        });
        format!("\"{}\"", letters.collect::<String>())
    }

    fn member(&mut self, name: &str, value: &str) -> String {
        let space = if self.is_one_in(4) { " \n" } else { "" };
        format!("{}{space}:{space}{value}", self.name(name))
    }

    fn object(&mut self, members: &[(&str, String)]) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| self.member(name, value))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    fn cap(&mut self) -> String {
        let caps = ["1", "7", "100", "4097", "100000", "10000000", "null"];
        let wrong = ["0", "-5", "\"5\"", "1.5", "10000001"];
        let pool: &[&str] = if self.is_one_in(40) { &wrong } else { &caps };
        self.one(pool).to_owned()
    }

    fn times(&mut self) -> String {
        let pool: &[&str] = if self.is_one_in(40) {
            &["0", "129", "true"]
        } else {
            &["1", "2", "3", "128", "null"]
        };
        self.one(pool).to_owned()
    }
}

/// The dialect's own cap and the beginning of a body.
fn start(id: DialectId) -> (&'static str, &'static str) {
    match id {
        DialectId::ChatCompletions | DialectId::Messages => (
            "max_tokens",
            r#""messages":[{"role":"user","content":"Hi"}]"#,
        ),
        DialectId::TextCompletions => ("max_tokens", r#""prompt":"Hi""#),
        DialectId::Responses => ("max_output_tokens", r#""input":"Hi""#),
        DialectId::GenerateContent => (
            "",
            r#""contents":[{"role":"user","parts":[{"text":"Hi"}]}]"#,
        ),
    }
}

fn body(id: DialectId, dice: &mut Dice) -> String {
    let (own, start) = start(id);
    let mut members = vec![start.to_owned()];
    if id == DialectId::GenerateContent {
        members.push(google_config(dice));
    } else {
        members.push(r#""model":"m""#.to_owned());
        if id == DialectId::Messages || !dice.is_one_in(4) {
            members.push(plain_member(dice, own, true));
        }
        for name in CAPS.into_iter().filter(|name| *name != own) {
            if dice.is_one_in(6) {
                members.push(plain_member(dice, name, true));
            }
        }
        for name in TIMES {
            if dice.is_one_in(6) {
                members.push(plain_member(dice, name, false));
            }
        }
        budgets(dice, &mut members);
        charges(dice, &mut members);
    }
    if dice.is_one_in(3) {
        members.push(tools(id, dice));
    }
    let turn = usize::try_from(dice.below(members.len() as u64)).expect("a place");
    members.rotate_left(turn);
    format!("{{{}}}", members.join(","))
}

fn plain_member(dice: &mut Dice, name: &str, is_cap: bool) -> String {
    let value = if is_cap { dice.cap() } else { dice.times() };
    dice.member(name, &value)
}

fn budgets(dice: &mut Dice, members: &mut Vec<String>) {
    if dice.is_one_in(5) {
        let value = dice.cap();
        let inner = dice.object(&[("max_tokens", value)]);
        members.push(dice.member("reasoning", &inner));
    }
    if dice.is_one_in(5) {
        let value = dice.cap();
        let inner = dice.object(&[("type", "\"enabled\"".to_owned()), ("budget_tokens", value)]);
        members.push(dice.member("thinking", &inner));
    }
    if dice.is_one_in(9) {
        members.push(dice.member("prediction", r#"{"type":"content","content":"as before"}"#));
    }
}

fn charges(dice: &mut Dice, members: &mut Vec<String>) {
    for (name, value) in [
        ("web_search_options", "{}"),
        (
            "search_parameters",
            r#"{"mode":"on","max_search_results":7}"#,
        ),
        ("search_parameters", r#"{"mode":"auto"}"#),
        ("plugins", r#"[{"id":"web","max_results":3},{"id":"web"}]"#),
        ("service_tier", "\"priority\""),
        ("max_tool_calls", "4"),
    ] {
        if dice.is_one_in(12) && !members.iter().any(|member| is_named(member, name)) {
            members.push(dice.member(name, value));
        }
    }
}

fn is_named(member: &str, name: &str) -> bool {
    let object = format!("{{{member}}}");
    let read: Value = serde_json::from_str(&object).expect("it is JSON");
    read.get(name).is_some()
}

fn google_config(dice: &mut Dice) -> String {
    let mut inner = Vec::new();
    for names in [
        ["maxOutputTokens", "max_output_tokens"],
        ["candidateCount", "candidate_count"],
    ] {
        if !dice.is_one_in(4) {
            let name = dice.one(&names);
            let value = if names[0] == "maxOutputTokens" {
                dice.cap()
            } else {
                dice.times()
            };
            inner.push((name, value));
        }
    }
    if dice.is_one_in(2) {
        let name = dice.one(&["thinkingBudget", "thinking_budget"]);
        let budget = dice.cap();
        let thinking = dice.object(&[(name, budget)]);
        inner.push((dice.one(&["thinkingConfig", "thinking_config"]), thinking));
    }
    let inner = dice.object(&inner);
    let name = dice.one(&["generationConfig", "generation_config"]);
    dice.member(name, &inner)
}

fn tools(id: DialectId, dice: &mut Dice) -> String {
    let mut list = Vec::new();
    for _ in 0..dice.below(4) {
        if id == DialectId::GenerateContent {
            let name = dice.one(&[
                "googleSearch",
                "google_search",
                "urlContext",
                "googleMaps",
                "functionDeclarations",
                "somethingNew",
            ]);
            list.push(dice.object(&[(name, "{}".to_owned())]));
            continue;
        }
        let kind = dice.one(&[
            "function",
            "custom",
            "web_search",
            "web_search_20250305",
            "web_fetch_20250910",
            "code_interpreter",
            "file_search",
            "something_new",
        ]);
        let mut members = vec![("type", format!("\"{kind}\""))];
        if dice.is_one_in(2) {
            members.push(("max_uses", dice.one(&["1", "3", "null"]).to_owned()));
        }
        list.push(dice.object(&members));
    }
    dice.member("tools", &format!("[{}]", list.join(",")))
}

/// What the vendor uses at most.
struct Vendor<'a> {
    id: DialectId,
    body: &'a Map<String, Value>,
    usage: Usage,
}

fn number(value: Option<&Value>) -> Option<i64> {
    let value = value?;
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

impl Vendor<'_> {
    fn either<'a>(object: &'a Map<String, Value>, names: [&str; 2]) -> Option<&'a Value> {
        names
            .iter()
            .find_map(|name| object.get(*name))
            .filter(|value| !value.is_null())
    }

    fn output(&self) -> u64 {
        if self.id == DialectId::GenerateContent {
            return self.output_of_google();
        }
        let (own, _) = start(self.id);
        let caps: Vec<i64> = CAPS
            .iter()
            .filter_map(|name| number(self.body.get(*name)))
            .collect();
        let has_own = number(self.body.get(own)).is_some()
            || (self.id == DialectId::ChatCompletions
                && number(self.body.get("max_completion_tokens")).is_some());
        let is_open = caps.iter().any(|cap| *cap < 0);
        let usual = if has_own && !is_open { 0 } else { 4096 };
        let cap = caps.into_iter().max().unwrap_or(0).max(usual);
        let inside = |name: &str, inner: &str| number(self.body.get(name)?.get(inner));
        let budgets = [
            inside("reasoning", "max_tokens"),
            inside("thinking", "budget_tokens"),
        ];
        let budget = budgets.into_iter().flatten().max().unwrap_or(0);
        let is_within = self.id == DialectId::Messages && budget < cap;
        let each = cap + if is_within { 0 } else { budget };
        let predicted = self.body.get("prediction").map_or(0, |_| 3);
        let times = TIMES.iter().filter_map(|name| number(self.body.get(*name)));
        times.fold((each + predicted).unsigned_abs(), |all, times| {
            all * times.unsigned_abs()
        })
    }

    fn output_of_google(&self) -> u64 {
        let config = Self::either(self.body, ["generationConfig", "generation_config"]);
        let config = config
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let cap = number(Self::either(
            &config,
            ["maxOutputTokens", "max_output_tokens"],
        ));
        let times = number(Self::either(&config, ["candidateCount", "candidate_count"]));
        let thinking = Self::either(&config, ["thinkingConfig", "thinking_config"]);
        let thinking = thinking
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let budget = number(Self::either(
            &thinking,
            ["thinkingBudget", "thinking_budget"],
        ));
        let each = cap.unwrap_or(4096) + budget.unwrap_or(0);
        (each * times.unwrap_or(1)).unsigned_abs()
    }

    fn uses(&mut self, price: &str, uses: u64) {
        self.usage.tokens.input += uses * RULE_TOKENS;
        *self
            .usage
            .other
            .hosted_tools
            .entry(price.to_owned())
            .or_default() += uses;
    }

    fn use_tools(&mut self) {
        let most = self.body.get("max_tool_calls").and_then(Value::as_u64);
        let most = most.filter(|_| self.id == DialectId::Responses);
        let tools = self.body.get("tools").and_then(Value::as_array).cloned();
        for tool in tools.into_iter().flatten() {
            if self.id == DialectId::GenerateContent {
                let name = tool
                    .as_object()
                    .and_then(|tool| tool.keys().next().cloned());
                match name.as_deref() {
                    Some("googleSearch" | "google_search") => self.uses("web_search_requests", 1),
                    Some("googleMaps") => self.uses("google_maps_requests", RULE_USES),
                    Some("urlContext") => self.uses("", RULE_USES),
                    Some("somethingNew") => self.uses("somethingNew", RULE_USES),
                    _ => {}
                }
                continue;
            }
            let limit = tool.get("max_uses").and_then(Value::as_u64);
            let kind = tool["type"].as_str().unwrap_or_default();
            let price = match (kind, self.id) {
                ("function" | "custom", _) => continue,
                ("web_search_20250305", _) => "web_search_requests",
                ("web_search", id) if id != DialectId::Messages => "web_search_requests",
                ("file_search", id) if id != DialectId::Messages => "file_search_requests",
                ("code_interpreter", id) if id != DialectId::Messages => {
                    "code_interpreter_requests"
                }
                ("web_fetch_20250910", DialectId::Messages) => "",
                (other, _) => other,
            };
            let is_known = matches!(kind, "web_search_20250305" | "web_fetch_20250910");
            let limit = limit.filter(|_| self.id == DialectId::Messages && is_known);
            self.uses(price, limit.or(most).unwrap_or(RULE_USES));
        }
    }

    fn use_fields(&mut self) {
        if self.id == DialectId::GenerateContent {
            return;
        }
        if self.body.contains_key("web_search_options") {
            self.uses("web_search_requests", 1);
        }
        if let Some(search) = self.body.get("search_parameters") {
            let most = search.get("max_search_results").and_then(Value::as_u64);
            self.uses("search_sources", most.unwrap_or(50));
        }
        for plugin in self
            .body
            .get("plugins")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let most = plugin.get("max_results").and_then(Value::as_u64);
            self.uses("plugin_web", most.unwrap_or(RULE_USES));
        }
        if self.body.contains_key("service_tier") {
            *self
                .usage
                .other
                .hosted_tools
                .entry("service_tier_priority".to_owned())
                .or_default() += 1;
        }
    }
}

/// What a vendor's invoice has for this body, where each kind of output is reasoning or not.
fn invoice(id: DialectId, text: &str, is_reasoning: bool) -> Usage {
    let parsed: Map<String, Value> = serde_json::from_str(text).expect("it is JSON");
    let mut vendor = Vendor {
        id,
        body: &parsed,
        usage: Usage::default(),
    };
    vendor.usage.other.calls = 1;
    vendor.usage.tokens.input = text.len() as u64;
    vendor.use_tools();
    vendor.use_fields();
    let output = vendor.output();
    vendor.usage.tokens = Tokens {
        output,
        reasoning: if is_reasoning { output } else { 0 },
        cache_read: 5,
        ..vendor.usage.tokens
    };
    vendor.usage
}

fn sheet() -> PriceSheet {
    PriceSheet::from_json(&json!({"input": "3", "output": "15", "reasoning": "20", "cache_read": "0.3", "per_call": "0.001",
        "tiers": [{"above_tokens": 500, "input": "6", "output": "22.5"}],
        "hosted_tools": {"web_search_requests": "0.01", "search_sources": "0.025", "file_search_requests": "0.0025",
            "code_interpreter_requests": "0.03", "plugin_web": "0.004", "google_maps_requests": "0.025",
            "service_tier_priority": "1", "something_new": "0.5", "somethingNew": "0.5", "web_search": "0.01",
            "code_interpreter": "0.03", "file_search": "0.01", "web_fetch_20250910": "0.01"}}))
    .expect("a sheet")
}

fn call(id: DialectId) -> Call {
    let caller = Caller {
        request_id: "r".into(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        base_url: String::new(),
        at_ms: 0,
    };
    Call::with_head(id, "/v1", caller, Head::blank())
}

/// Reserves for a body. None: it is refused.
fn reserved(id: DialectId, text: &str, sheet: &PriceSheet) -> Option<(TextTask, i64)> {
    let found = scan(id, text.as_bytes()).ok()?.into_owned();
    let spelled = Spelled::out(id, Bytes::from(text.to_owned()), found, scan).ok()?;
    let mut task = TextTask::new(&call(id), "unheard-of".into(), spelled).ok()?;
    let rules = ExtraRules {
        sheet: Some(sheet),
        upstream_model: Some("gemini-2.5-pro"),
        is_open: true,
        uses: RULE_USES,
        tokens: RULE_TOKENS,
    };
    task.allow_extra(&rules).ok()?;
    let bounds = task.bounds().expect("it costs something");
    // What is beyond all amounts is refused.
    let worst = worst_case(sheet, Multiplier::ONE, &bounds).ok()?;
    Some((task, worst))
}

fn no_invoice_is_higher(id: DialectId) {
    let sheet = sheet();
    let mut dice = Dice(0x0029_0000 + id as u64 + 1);
    let mut served = 0;
    for _ in 0..BODIES {
        let text = body(id, &mut dice);
        let Some((mut task, worst)) = reserved(id, &text, &sheet) else {
            continue;
        };
        served += 1;
        for is_reasoning in [false, true] {
            let sent = String::from_utf8(task.body.to_vec()).expect("it is text");
            let usage = invoice(id, &sent, is_reasoning);
            let cost = charge(&sheet, Multiplier::ONE, &usage).expect("it is priced");
            assert!(
                cost.total_nanos <= worst,
                "{id:?} {text}: {cost:?} of {worst}"
            );
        }
        let half = task.bounds().expect("it costs something").output / 2;
        if task.lower_cap(half) {
            let lowered = task.bounds().expect("it costs something").output;
            assert!(lowered <= half, "{id:?} {text}: {lowered} of {half}");
        }
    }
    assert!(served > BODIES / 4, "{id:?}: {served}");
}

#[test]
fn no_invoice_for_chat_completions_is_higher_than_its_reservation() {
    no_invoice_is_higher(DialectId::ChatCompletions);
}

#[test]
fn no_invoice_for_text_completions_is_higher_than_its_reservation() {
    no_invoice_is_higher(DialectId::TextCompletions);
}

#[test]
fn no_invoice_for_messages_is_higher_than_its_reservation() {
    no_invoice_is_higher(DialectId::Messages);
}

#[test]
fn no_invoice_for_responses_is_higher_than_its_reservation() {
    no_invoice_is_higher(DialectId::Responses);
}

#[test]
fn no_invoice_for_generate_content_is_higher_than_its_reservation() {
    no_invoice_is_higher(DialectId::GenerateContent);
}

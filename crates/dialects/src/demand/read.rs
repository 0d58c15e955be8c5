//! Reads the fields of the table on the way through a body.

use super::number::{number, whole, word};
use super::table::{COMMON, Field, Found, GENERATE, Rule, Table};
use super::{Bound, Demand, Extra};
use crate::DialectId;
use crate::canonical::Failure;
use crate::canonical::usage::{SEARCHES, SOURCES};
use crate::walk::{Broken, Kind, Walk};

/// The largest cap that is not absurd.
pub(crate) const MOST_TOKENS: u64 = 10_000_000;
const MOST: i64 = MOST_TOKENS.cast_signed();
/// The largest multiplier.
const MOST_TIMES: i64 = 128;
/// The most uses of hosted tools that a call may allow.
pub(super) const MOST_USES: i64 = 1000;
/// The sources that a live search reads at most.
const MOST_SOURCES: i64 = 50;

/// Members whose text the scan reads itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Model,
    Messages,
    Prompt,
    Input,
    Contents,
    Stream,
    StreamOptions,
}

/// Reads members of a body that billing and routing need.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(super) dialect: DialectId,
    pub(crate) demand: Demand,
    /// Entries in lists of tools.
    pub(super) tools: usize,
    kept: [Option<&'a [u8]>; Kept::StreamOptions as usize + 1],
    /// The fields that the body itself has.
    seen: u64,
    failure: Option<Failure>,
}

impl<'a> Reader<'a> {
    /// A reader of bodies in this dialect.
    pub(crate) fn new(dialect: DialectId) -> Self {
        Self {
            dialect,
            demand: Demand {
                cap_includes_reasoning: dialect == DialectId::Messages,
                ..Demand::default()
            },
            tools: 0,
            kept: [None; _],
            seen: 0,
            failure: None,
        }
    }

    /// Reads a member of the body.
    #[inline]
    pub(crate) fn member(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        let table = match self.dialect {
            DialectId::GenerateContent => &GENERATE,
            _ => &COMMON,
        };
        let mut seen = self.seen;
        self.member_of(table, &mut seen, name, walk)?;
        self.seen = seen;
        Ok(())
    }

    /// Returns the text of a member; `null` is there as well.
    pub(crate) fn kept(&self, which: Kept) -> Option<&'a [u8]> {
        self.kept[which as usize]
    }

    /// Notes a cap that was checked elsewhere.
    pub(crate) fn note_cap(&mut self, cap: u64) {
        self.demand.cap = self.demand.cap.max(Some(cap));
        self.demand.has_own_cap = true;
    }

    /// Returns whether a tool is declared.
    pub(crate) fn has_tools(&self) -> bool {
        self.tools > 0
    }

    /// Takes the first failure.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    pub(super) fn wrong(&mut self, path: &str, expected: &str) {
        self.fail(Failure::bad_request(
            path,
            format!("`{path}` must be {expected}."),
        ));
    }

    #[inline]
    fn member_of(
        &mut self,
        table: &'static Table,
        seen: &mut u64,
        name: &[u8],
        walk: &mut Walk<'a>,
    ) -> Result<(), Broken> {
        match table.find(name) {
            Found::Nothing => walk.past(),
            Found::Respelled(field) => {
                self.respelled(name, field);
                walk.past()
            }
            Found::Field(field, bit) => {
                if *seen & bit != 0 {
                    self.fail(Failure::given_twice(field.path));
                }
                *seen |= bit;
                self.field(field, walk)
            }
        }
    }

    #[cold]
    fn respelled(&mut self, name: &[u8], field: &Field) {
        let name = String::from_utf8_lossy(name);
        let text = format!("The field `{name}` must be written as `{}`.", field.name);
        self.fail(Failure::bad_request(name, text));
    }

    fn field(&mut self, field: &'static Field, walk: &mut Walk<'a>) -> Result<(), Broken> {
        match field.rule {
            Rule::Keep(which) => {
                self.kept[which as usize] = Some(walk.skip()?);
                Ok(())
            }
            Rule::Items => self.items(walk),
            Rule::Tools => self.tools(field.path, walk),
            Rule::Plugins => self.plugins(walk),
            Rule::Inside(table, is_own) => self.inside(table, (field.path, is_own), walk),
            Rule::LiveSearch => self.live_search(walk),
            _ => {
                let raw = walk.skip()?;
                if raw != b"null" {
                    self.value(field, raw);
                }
                Ok(())
            }
        }
    }

    fn inside(
        &mut self,
        table: &'static Table,
        (path, is_own): (&str, bool),
        walk: &mut Walk<'a>,
    ) -> Result<(), Broken> {
        match walk.kind()? {
            Kind::Object => {
                let mut seen = 0;
                walk.members(|name, walk| self.member_of(table, &mut seen, name, walk))
            }
            kind => {
                if is_own && kind != Kind::Null {
                    self.wrong(path, "an object");
                }
                walk.past()
            }
        }
    }

    /// Reads a value that is not null.
    fn value(&mut self, field: &Field, raw: &[u8]) {
        match field.rule {
            Rule::Cap => self.cap(field, raw),
            Rule::OpenCap => {
                if let Some(cap) = self.whole(field.path, raw, -2..=MOST) {
                    let cap = u64::try_from(cap).ok();
                    self.demand.has_open_cap |= cap.is_none();
                    self.demand.cap = self.demand.cap.max(cap);
                }
            }
            Rule::Times => {
                let times = self.whole(field.path, raw, 1..=MOST_TIMES).unwrap_or(1);
                let times = u64::try_from(times).unwrap_or(1);
                self.demand.times = self.demand.times.saturating_mul(times);
                if field.name == "n" {
                    self.demand.choices = times;
                }
            }
            Rule::Reasoning => {
                let budget = self.whole(field.path, raw, -1..=MOST).unwrap_or(0);
                let budget = u64::try_from(budget).unwrap_or(0);
                self.demand.reasoning = self.demand.reasoning.max(budget);
            }
            Rule::Number(most) => self.number(field.path, raw, most),
            Rule::ToolCalls => {
                let most = self.whole(field.path, raw, 1..=MOST_USES);
                if let Some(most) = most.filter(|_| self.dialect == DialectId::Responses) {
                    self.demand.extra.limit_calls(most.unsigned_abs());
                }
            }
            Rule::Prediction => self.demand.predicted = raw.len() as u64,
            Rule::Modalities => self.demand.has_modalities = true,
            Rule::SearchOptions => {
                self.demand.has_search_options = true;
                self.add(field.path, Some(SEARCHES.to_owned()), Bound::Uses(1));
            }
            Rule::SearchSwitch if raw != b"false" => {
                self.demand.has_search_options = true;
                self.add(field.path, Some(SEARCHES.to_owned()), Bound::Unlimited);
            }
            Rule::ToolServers if !is_empty_list(raw) => {
                self.add(field.path, None, Bound::Unlimited);
            }
            Rule::Tier(usual) => self.tier(field.path, raw, usual),
            _ => {}
        }
    }

    fn cap(&mut self, field: &Field, raw: &[u8]) {
        let own: &[&str] = match self.dialect {
            DialectId::ChatCompletions => &["max_tokens", "max_completion_tokens"],
            DialectId::TextCompletions | DialectId::Messages => &["max_tokens"],
            DialectId::Responses => &["max_output_tokens"],
            DialectId::GenerateContent => &["maxOutputTokens", "max_output_tokens"],
        };
        let is_own = own.contains(&field.name);
        // Legacy completions can ask for no answer at all, only for their prompt with its probabilities.
        let may_be_zero = is_own && self.dialect == DialectId::TextCompletions;
        let least = i64::from(!may_be_zero);
        if let Some(cap) = self.whole(field.path, raw, least..=MOST) {
            self.demand.cap = self.demand.cap.max(Some(cap.unsigned_abs()));
            self.demand.has_own_cap |= is_own;
        }
    }

    pub(super) fn whole(
        &mut self,
        path: &str,
        raw: &[u8],
        range: std::ops::RangeInclusive<i64>,
    ) -> Option<i64> {
        let may_be_text = self.dialect == DialectId::GenerateContent;
        let found = whole(raw, may_be_text).filter(|number| range.contains(number));
        if found.is_none() {
            let (least, most) = range.into_inner();
            self.wrong(path, &format!("a whole number from {least} to {most}"));
        }
        found
    }

    fn number(&mut self, path: &str, raw: &[u8], most: f64) {
        let may_be_text = self.dialect == DialectId::GenerateContent;
        let found = number(raw, may_be_text).filter(|number| (0.0..=most).contains(number));
        if found.is_none() {
            self.wrong(path, &format!("a number from 0 to {most}"));
        }
    }

    fn tier(&mut self, path: &str, raw: &[u8], usual: &[&str]) {
        if !raw.starts_with(b"\"") {
            return self.wrong(path, "a string");
        }
        let word = word(raw);
        if word.is_empty() || usual.contains(&&*word) {
            return;
        }
        let name = format!("{path}: {word}");
        let charge = format!("{path}_{word}").to_lowercase();
        self.add_extra(Extra {
            name,
            charge: Some(charge),
            bound: Bound::Uses(1),
            adds_input: false,
            is_tool: false,
        });
    }

    /// Reads `plugins`, which some routers run before or after the model.
    fn plugins(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if walk.kind()? != Kind::List {
            return self.any_other("plugins", walk);
        }
        walk.entries(|walk| {
            if walk.kind()? != Kind::Object {
                return self.any_other("plugins", walk);
            }
            let (mut id, mut most) = (None, None);
            walk.members(|name, walk| {
                let slot = match name {
                    b"id" => &mut id,
                    b"max_results" => &mut most,
                    _ => return walk.past(),
                };
                if slot.replace(walk.skip()?).is_some() {
                    self.fail(Failure::given_twice("plugins"));
                }
                Ok(())
            })?;
            let id = id.map(word).unwrap_or_default();
            let most = most
                .filter(|raw| *raw != b"null")
                .and_then(|raw| self.whole("plugins.max_results", raw, 1..=MOST_USES));
            let bound = most.map_or(Bound::Unlimited, |most| Bound::Uses(most.unsigned_abs()));
            self.add(
                &format!("plugins: {id}"),
                Some(format!("plugin_{id}")),
                bound,
            );
            Ok(())
        })
    }

    /// Reads `search_parameters`, a search that is charged by its sources.
    fn live_search(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        const NAME: &str = "search_parameters";
        if walk.kind()? != Kind::Object {
            return self.any_other(NAME, walk);
        }
        let (mut mode, mut most) = (None, None);
        walk.members(|name, walk| {
            let slot = match name {
                b"mode" => &mut mode,
                b"max_search_results" => &mut most,
                _ => return walk.past(),
            };
            if slot.replace(walk.skip()?).is_some() {
                self.fail(Failure::given_twice(NAME));
            }
            Ok(())
        })?;
        if mode.is_some_and(|mode| word(mode) == "off") {
            return Ok(());
        }
        let most = most.filter(|raw| *raw != b"null");
        let path = "search_parameters.max_search_results";
        let most = most.map_or(Some(MOST_SOURCES), |raw| {
            self.whole(path, raw, 1..=MOST_SOURCES)
        });
        let most = most.unwrap_or(MOST_SOURCES).unsigned_abs();
        let charge = Some(SOURCES.to_owned());
        self.add(NAME, charge, Bound::Uses(most));
        Ok(())
    }

    /// A value of another type than expected: null is none, anything else may mean anything.
    fn any_other(&mut self, name: &str, walk: &mut Walk<'a>) -> Result<(), Broken> {
        if walk.skip()? != b"null" {
            self.wrong(name, "what its vendor describes");
        }
        Ok(())
    }

    /// Adds a charge whose uses add input tokens.
    fn add(&mut self, name: &str, charge: Option<String>, bound: Bound) {
        self.add_extra(Extra {
            name: name.to_owned(),
            charge,
            bound,
            adds_input: true,
            is_tool: false,
        });
    }

    /// Adds a tool that the vendor runs.
    pub(super) fn add_tool(&mut self, name: &str, charge: Option<String>, bound: Bound) {
        self.add_extra(Extra {
            name: name.to_owned(),
            charge,
            bound,
            adds_input: true,
            is_tool: true,
        });
    }

    fn add_extra(&mut self, extra: Extra) {
        if !self.demand.extra.add(extra) {
            let text = "The body has too many hosted tools.";
            self.fail(Failure::bad_request("tools", text));
        }
    }

    /// Reads `input`: some of its items declare tools.
    fn items(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let kind = walk.kind()?;
        let from = walk.at();
        if kind == Kind::List && self.dialect == DialectId::Responses {
            walk.entries(|walk| {
                if walk.kind()? != Kind::Object {
                    return walk.past();
                }
                walk.members(|name, walk| match name {
                    b"tools" if walk.kind()? == Kind::List => self.tools("input.tools", walk),
                    _ => walk.past(),
                })
            })?;
        } else {
            walk.past()?;
        }
        self.kept[Kept::Input as usize] = Some(walk.since(from));
        Ok(())
    }
}

/// Whether this JSON text is a list without entries.
fn is_empty_list(raw: &[u8]) -> bool {
    let inner = raw.strip_prefix(b"[").unwrap_or(raw).trim_ascii_start();
    inner == b"]"
}

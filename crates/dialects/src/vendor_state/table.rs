//! The table of references to what vendors keep, read from `table.json`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::DialectId;
use crate::walk::Kind;

static TABLE: LazyLock<Table> = LazyLock::new(Table::read);

/// Longer values are no ids.
const LONGEST_ID: usize = 256;

/// A format that clients send, with its own references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Chat completions.
    ChatCompletions,
    /// Legacy completions.
    TextCompletions,
    /// Messages.
    Messages,
    /// Generate content.
    GenerateContent,
    /// Responses.
    Responses,
    /// Events of realtime clients.
    Realtime,
    /// Every other operation.
    Other,
}

impl From<DialectId> for Surface {
    fn from(dialect: DialectId) -> Self {
        match dialect {
            DialectId::ChatCompletions => Self::ChatCompletions,
            DialectId::TextCompletions => Self::TextCompletions,
            DialectId::Messages => Self::Messages,
            DialectId::GenerateContent => Self::GenerateContent,
            DialectId::Responses => Self::Responses,
        }
    }
}

/// The treatment of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// It names what a vendor keeps.
    Reject,
    /// It names what the gateway keeps for the caller; whoever resolves it checks that.
    Map,
    /// It is an address, which must be public.
    Uri,
    /// It is no reference; what is inside of it is looked at.
    Allow,
    /// It is the caller's own JSON.
    Opaque,
}

/// One row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// The member's name, in snake case.
    pub(super) field: String,
    /// The names of the member that holds it, or of the list that does; empty: all. The body itself has an empty name.
    #[serde(default, rename = "in")]
    pub(super) within: Vec<String>,
    /// The formats; empty: all.
    #[serde(default)]
    pub(super) on: Vec<Surface>,
    /// The kind of value; none: all.
    #[serde(default)]
    pub(super) value: Option<ValueKind>,
    /// Values that are no reference.
    #[serde(default)]
    pub(super) allowed: Vec<String>,
    pub(super) action: Action,
    /// The thing that is named, or the reason why it is no reference.
    pub(super) why: String,
}

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueKind {
    String,
    Object,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    prefixes: Vec<String>,
    rules: Vec<Rule>,
}

pub(super) struct Table {
    /// How ids of vendors begin.
    pub(super) prefixes: Vec<String>,
    /// Rules by the name of the member, the narrow ones first.
    pub(super) rules: HashMap<String, Vec<Rule>>,
}

impl Table {
    fn read() -> Self {
        let text = include_str!("table.json");
        let file: File = serde_json::from_str(text).expect("the table is checked by a test");
        let mut rules: HashMap<String, Vec<Rule>> = HashMap::new();
        for rule in file.rules {
            rules.entry(rule.field.clone()).or_default().push(rule);
        }
        Self {
            prefixes: file.prefixes,
            rules,
        }
    }

    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// The rule of a member in this place.
    pub(super) fn rule(&self, on: Surface, within: &str, name: &str, kind: Kind) -> Option<&Rule> {
        let rules = self.rules.get(name)?;
        rules.iter().find(|rule| rule.applies(on, within, kind))
    }

    /// Whether a text is an id that a vendor has given, by its beginning.
    pub(super) fn is_id(&self, text: &[u8]) -> bool {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(byte);
        text.len() <= LONGEST_ID
            && self.prefixes.iter().any(|prefix| {
                let rest = text.strip_prefix(prefix.as_bytes());
                rest.is_some_and(|rest| !rest.is_empty() && rest.iter().all(is_part))
            })
    }
}

impl Rule {
    fn applies(&self, on: Surface, within: &str, kind: Kind) -> bool {
        let is_kind = match self.value {
            None => true,
            Some(ValueKind::Object) => kind == Kind::Object,
            Some(ValueKind::String) => kind == Kind::Text,
        };
        is_kind
            && (self.on.is_empty() || self.on.contains(&on))
            && (self.within.is_empty() || self.within.iter().any(|name| name == within))
    }
}

/// A member's name in snake case: generate content knows both spellings.
pub(super) fn snake_case(name: &[u8]) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(name);
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return name;
    }
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    Cow::Owned(out)
}

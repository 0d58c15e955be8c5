//! Looks through a body for references to what a vendor keeps. One pass, which builds nothing.

use std::collections::HashSet;

use super::table::{Action, Rule, Surface, Table, snake_case};
use crate::canonical::Failure;
use crate::walk::{Broken, Kind, Walk, unescaped};

/// The references of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The first that must not reach a vendor.
    pub rejected: Option<Rejected>,
    /// Whether items of the input have ids, which only the gateway's own records can judge (responses).
    pub has_items: bool,
}

/// A reference that must not reach a vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The path of the member.
    pub path: String,
    /// The thing that it names.
    pub what: &'static str,
}

/// Looks through a body, which must be JSON.
pub fn look(surface: Surface, body: &[u8]) -> Result<Found, Failure> {
    let mut search = Search {
        surface,
        table: Table::get(),
        found: Found::default(),
        what: None,
        path: Vec::new(),
        twice: None,
    };
    let mut walk = Walk::new(body);
    search.value(&mut walk, "", true).map_err(Broken::in_body)?;
    if let Some(name) = &search.twice {
        return Err(Failure::given_twice(name));
    }
    let mut found = search.found;
    found.rejected = search.what.map(|what| {
        search.path.reverse();
        let path = search.path.concat();
        Rejected {
            path: path.trim_start_matches('.').to_owned(),
            what,
        }
    });
    Ok(found)
}

struct Search {
    surface: Surface,
    table: &'static Table,
    found: Found,
    /// The thing that was found; then nothing else is looked for.
    what: Option<&'static str>,
    /// Its path, the last step first.
    path: Vec<String>,
    /// A member of an item that is given twice: readers differ in which of them counts.
    twice: Option<String>,
}

/// A value that looks like an id and stands where none is known.
const UNKNOWN: &str = "something that a vendor keeps, to judge by its id";

impl Search {
    /// Goes past a value that the member `name` holds.
    fn value(&mut self, walk: &mut Walk<'_>, name: &str, is_checked: bool) -> Result<(), Broken> {
        match walk.kind()? {
            Kind::Object if self.surface == Surface::Responses && name == "input" => {
                self.item(walk)
            }
            Kind::Object => walk.members(|member, walk| self.member(walk, name, member)),
            Kind::List => self.list(walk, name, is_checked),
            Kind::Text if is_checked && self.what.is_none() => {
                if self.table.is_id(&unescaped(walk.skip()?)) {
                    self.what = Some(UNKNOWN);
                }
                Ok(())
            }
            _ => walk.past(),
        }
    }

    /// An item of the input, whose members are read again to find out what it means.
    fn item(&mut self, walk: &mut Walk<'_>) -> Result<(), Broken> {
        let mut names = HashSet::new();
        walk.members(|member, walk| {
            if !names.insert(member.to_vec()) {
                self.twice = Some(String::from_utf8_lossy(member).into_owned());
            }
            self.found.has_items |= member == b"id";
            self.member(walk, "input", member)
        })
    }

    fn list(&mut self, walk: &mut Walk<'_>, name: &str, is_checked: bool) -> Result<(), Broken> {
        let mut index = 0_usize;
        walk.entries(|walk| {
            self.step(
                walk,
                || format!("[{index}]"),
                |search, walk| search.value(walk, name, is_checked),
            )?;
            index += 1;
            Ok(())
        })
    }

    fn member(&mut self, walk: &mut Walk<'_>, within: &str, member: &[u8]) -> Result<(), Broken> {
        let name = snake_case(member);
        let kind = walk.kind()?;
        let rule = self.table.rule(self.surface, within, &name, kind);
        let written = || format!(".{}", String::from_utf8_lossy(member));
        self.step(walk, written, |search, walk| match rule {
            None => search.value(walk, &name, true),
            Some(rule) => search.ruled(walk, &name, rule),
        })
    }

    fn ruled(
        &mut self,
        walk: &mut Walk<'_>,
        name: &str,
        rule: &'static Rule,
    ) -> Result<(), Broken> {
        match rule.action {
            Action::Allow if name == "type" => self.kind_of_item(walk),
            Action::Allow => self.value(walk, name, false),
            Action::Map => {
                self.found.has_items = true;
                walk.past()
            }
            Action::Opaque => walk.past(),
            Action::Uri if walk.kind()? != Kind::Text => self.value(walk, name, true),
            Action::Uri => {
                let address = unescaped(walk.skip()?);
                if !address.is_empty() && !is_public(&address) {
                    self.what = Some(&rule.why);
                }
                Ok(())
            }
            Action::Reject => {
                let value = walk.skip()?;
                if says_something(value) && !is_allowed(rule, value) {
                    self.what = Some(&rule.why);
                }
                Ok(())
            }
        }
    }

    /// An item of a realtime conversation that is only named: an event cannot be resolved here.
    fn kind_of_item(&mut self, walk: &mut Walk<'_>) -> Result<(), Broken> {
        if self.surface != Surface::Realtime || walk.kind()? != Kind::Text {
            return walk.past();
        }
        if *unescaped(walk.skip()?) == *b"item_reference" {
            self.what = Some("an item that the vendor keeps");
        }
        Ok(())
    }

    /// Goes one step into the body. If something is found there, `written` says where.
    fn step<'a>(
        &mut self,
        walk: &mut Walk<'a>,
        written: impl FnOnce() -> String,
        go: impl FnOnce(&mut Self, &mut Walk<'a>) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        if self.what.is_some() {
            return walk.past();
        }
        go(self, walk)?;
        if self.what.is_some() {
            self.path.push(written());
        }
        Ok(())
    }
}

fn says_something(value: &[u8]) -> bool {
    let inner = value
        .get(1..value.len().saturating_sub(1))
        .unwrap_or_default();
    match value.first() {
        Some(b'n') => false,
        Some(b'"' | b'[' | b'{') => !inner.trim_ascii().is_empty(),
        _ => true,
    }
}

fn is_allowed(rule: &Rule, value: &[u8]) -> bool {
    let is_text = value.starts_with(b"\"");
    is_text && !rule.allowed.is_empty() && {
        let value = unescaped(value);
        rule.allowed.iter().any(|word| word.as_bytes() == &*value)
    }
}

/// Hosts of vendors, which give more to those who come with a key.
const VENDORS: [&str; 2] = ["googleapis.com", "google.internal"];

/// Whether everybody can read what is at an address, as far as the address shows.
fn is_public(address: &[u8]) -> bool {
    let Ok(address) = std::str::from_utf8(address) else {
        return false;
    };
    if address.starts_with("data:") {
        return true;
    }
    let Some((scheme, rest)) = address.split_once("://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let is_vendor = VENDORS.iter().any(|vendor| {
        let rest = host.strip_suffix(vendor);
        // What is stored for everybody to read is public.
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.') && rest != "storage.")
    });
    is_web && !host.is_empty() && !is_vendor
}

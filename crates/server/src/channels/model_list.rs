//! The models of a channel: names, and patterns that stand for many of them. A name counts before a pattern, and a
//! longer pattern before a shorter one.

use std::collections::HashMap;
use std::sync::Arc;

use store::channels::Channel as Row;

use crate::model_pattern::beginning;

/// What a channel serves.
#[derive(Debug)]
pub(super) struct ModelList {
    names: HashMap<Box<str>, Arc<str>>,
    /// The longest beginning first.
    patterns: Vec<Pattern>,
}

/// Models that have no entry of their own.
#[derive(Debug)]
struct Pattern {
    /// As the list has it.
    text: Box<str>,
    /// The upstream's name, with a star of its own unless it is the same for all.
    upstream: Arc<str>,
}

/// How a channel serves a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name or pattern of the channel's list.
    pub listed: &'a str,
    /// What the upstream calls the model.
    pub upstream: Arc<str>,
}

impl ModelList {
    /// The models of a record.
    pub(super) fn of(row: &Row) -> Self {
        let mut names = HashMap::new();
        let mut patterns = Vec::new();
        for model in &row.models.0 {
            let upstream: Arc<str> = match row.model_mapping.0.get(model) {
                Some(upstream) => upstream.as_str().into(),
                None => model.as_str().into(),
            };
            if beginning(model).is_none() {
                names.insert(model.as_str().into(), upstream);
                continue;
            }
            patterns.push(Pattern {
                text: model.as_str().into(),
                upstream,
            });
        }
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.text.len()));
        Self { names, patterns }
    }

    /// How a model is served; none where it is not.
    pub(super) fn entry<'a>(&'a self, model: &str) -> Option<Entry<'a>> {
        if let Some((listed, upstream)) = self.names.get_key_value(model) {
            let upstream = upstream.clone();
            return Some(Entry { listed, upstream });
        }
        self.patterns.iter().find_map(|pattern| {
            Some(Entry {
                listed: &pattern.text,
                upstream: pattern.upstream_of(model)?,
            })
        })
    }

    /// Names that have an entry of their own, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(AsRef::as_ref)
    }

    /// What the names begin with that are served by patterns, the longest first.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = &str> {
        let patterns = self.patterns.iter();
        patterns.filter_map(|pattern| beginning(&pattern.text))
    }

    /// Patterns under another name than the upstream's, each with what the upstream's names begin with.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let patterns = self.patterns.iter();
        let both =
            patterns.filter_map(|one| Some((beginning(&one.text)?, beginning(&one.upstream)?)));
        both.filter(|(asked, upstream)| asked != upstream)
    }

    /// Every entry, in order.
    pub(super) fn listed(&self) -> Vec<String> {
        let patterns = self.patterns.iter().map(|pattern| &*pattern.text);
        let mut listed: Vec<String> = self.names().chain(patterns).map(str::to_owned).collect();
        listed.sort_unstable();
        listed
    }
}

impl Pattern {
    /// What the star stood for is carried over. It may stand for nothing, unless nothing were left of the name.
    fn upstream_of(&self, model: &str) -> Option<Arc<str>> {
        let rest = model.strip_prefix(beginning(&self.text)?)?;
        match beginning(&self.upstream) {
            Some("") if rest.is_empty() => None,
            Some("") => Some(rest.into()),
            Some(start) => Some([start, rest].concat().into()),
            None => Some(self.upstream.clone()),
        }
    }
}

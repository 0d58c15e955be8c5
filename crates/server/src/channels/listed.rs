//! Which models are shown to people and clients: every name that a channel lists, and for its patterns the names that
//! somebody has set a price for. A pattern alone says nothing of what there is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use billing::prices::PriceBook;
use store::ChannelId;
use store::channels::ChannelState;

use super::snapshot::Snapshot;
use crate::model_pattern::is_callable;

impl Snapshot {
    /// Names that are served by patterns alone and have a price: their own, or that of the upstream's name. Where a
    /// pattern is the upstream's whole name with something before it, prices of the upstream's names say nothing:
    /// every model of the world would be among them.
    pub fn priced_by_pattern(&self, book: &PriceBook, now: i64) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        if self.by_pattern.is_empty() {
            return names;
        }
        let renamed: BTreeSet<(&str, &str)> = self
            .channels()
            .filter(|channel| channel.state != ChannelState::Off)
            .flat_map(|channel| channel.models.renamed())
            .filter(|(_, upstream)| !upstream.is_empty())
            .collect();
        for priced in book.models(now) {
            let others = renamed.iter().filter_map(|(asked, upstream)| {
                let rest = priced.strip_prefix(*upstream)?;
                (!rest.is_empty()).then(|| Cow::Owned([*asked, rest].concat()))
            });
            for name in others.chain([Cow::Borrowed(priced)]) {
                if self.is_by_pattern(&name) {
                    names.insert(name.into_owned());
                }
            }
        }
        names
    }

    /// The models that a group can reach, sorted, each with the provider that would serve it first. `others` are
    /// names that are looked at beside those that channels list.
    pub fn models<'a>(
        &'a self,
        group: &str,
        others: &'a BTreeSet<String>,
    ) -> Vec<(&'a str, &'a str)> {
        let listed = self.served.iter();
        let listed = listed.filter_map(|(name, one)| Some((name.as_ref(), one.provider(group)?)));
        let by_pattern = others.iter().filter(|name| self.is_by_pattern(name));
        let by_pattern = by_pattern.filter_map(|name| {
            let served = self.by_pattern.longest(name)?;
            Some((name.as_str(), served.provider(group)?))
        });
        let mut models: Vec<(&str, &str)> = listed.chain(by_pattern).collect();
        models.sort_unstable();
        models
    }

    /// The models that one channel serves while it is on, sorted, each with its provider.
    pub fn models_through<'a>(
        &'a self,
        id: ChannelId,
        others: &'a BTreeSet<String>,
    ) -> Vec<(&'a str, &'a str)> {
        let channel = self.channel(id).filter(|one| one.state == ChannelState::On);
        let Some(channel) = channel else {
            return Vec::new();
        };
        let by_pattern = others.iter().map(String::as_str);
        let by_pattern =
            by_pattern.filter(|name| is_callable(name) && channel.entry(name).is_some());
        let names: BTreeSet<&str> = channel.models.names().chain(by_pattern).collect();
        let of_provider = |name| (name, &*channel.provider);
        names.into_iter().map(of_provider).collect()
    }

    /// Every model that some channel lists by its name, sorted.
    pub fn all_models(&self) -> impl Iterator<Item = &str> {
        self.served.keys().map(AsRef::as_ref)
    }

    /// Every pattern of every channel, sorted.
    pub fn all_patterns(&self) -> impl Iterator<Item = String> {
        self.by_pattern.texts()
    }

    /// Whether some channel serves a model, by its name or by a pattern.
    pub fn is_served(&self, model: &str) -> bool {
        self.served.contains_key(model) || self.is_by_pattern(model)
    }

    /// Whether a model is served by patterns alone.
    fn is_by_pattern(&self, name: &str) -> bool {
        !self.served.contains_key(name)
            && is_callable(name)
            && self.by_pattern.longest(name).is_some_and(|pattern| {
                let mut channels = pattern.channels.iter();
                channels.any(|channel| channel.entry(name).is_some())
            })
    }
}

//! The whole database as a plan: each table by its own file, and then what they have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::channels::Channels;
use super::options::Options;
use super::ratio::Unit;
use super::tokens::ANY_GROUP;
use super::{Flavour, codes, tokens, users};
use crate::accounts::DEFAULT_GROUP;
use crate::imports::error::ImportError;
use crate::imports::plan::{Plan, WantedGroup};
use crate::imports::report::{Effect, Findings};
use crate::imports::table::Tables;

/// Tables that hold nothing of their own: what they say is in the wanted ones, or is made anew.
const DERIVED: [&str; 4] = ["abilities", "setups", "sqlite_sequence", "migrations"];

/// The longest description of a group here.
const LONGEST_DESCRIPTION: usize = 500;

/// What all tables are read with.
pub(super) struct Reading<'a> {
    pub(super) tables: &'a Tables,
    pub(super) flavour: Flavour,
    pub(super) unit: Unit,
    pub(super) findings: &'a mut Findings,
    /// Groups that something is in.
    pub(super) groups: BTreeSet<String>,
}

impl Reading<'_> {
    /// A group's name as it may be here; none where it cannot be.
    pub(super) fn group(&mut self, text: &str) -> Option<String> {
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        let name: String = text
            .trim()
            .chars()
            .map(|letter| if is_plain(letter) { letter } else { '-' })
            .take(64)
            .collect();
        if name.is_empty() {
            return None;
        }
        if name != text.trim() {
            let reason = "names of groups here have letters, digits, dots, dashes and underscores";
            let change = format!("{} as {name}", text.trim());
            self.findings.changed("groups", change, reason);
        }
        self.groups.insert(name.clone());
        Some(name)
    }
}

/// Reads everything.
pub fn plan(
    tables: &Tables,
    flavour: Flavour,
    findings: &mut Findings,
) -> Result<Plan, ImportError> {
    flavour.check(tables)?;
    for entity in ["groups", "users", "tokens", "channels", "codes", "prices"] {
        findings.count(entity);
    }
    let options = Options::read(tables, findings);
    let mut reading = Reading {
        tables,
        flavour,
        unit: options.unit,
        findings,
        groups: BTreeSet::new(),
    };
    let users = users::read(&mut reading)?;
    let tokens = tokens::read(&mut reading);
    let channels = Channels::read(&mut reading);
    let codes = codes::read(&mut reading);
    let group_names: Vec<String> = options.group_ratios.keys().cloned().collect();
    let multipliers = group_names.iter().filter_map(|text| {
        let ratio = super::ratio::of(&options.group_ratios, text);
        let ppm = ratio.and_then(super::ratio::Ratio::millionths);
        if ppm.is_none() {
            let reason = "its ratio is no number at or above zero";
            reading.findings.leave_out("groups", text, reason);
        }
        Some((reading.group(text)?, ppm?))
    });
    let multipliers: BTreeMap<String, i64> = multipliers.collect();
    let choices = choices(&mut reading, &options);
    let groups: Vec<WantedGroup> = reading
        .groups
        .iter()
        .map(|name| WantedGroup {
            name: name.clone(),
            multiplier_ppm: multipliers.get(name).copied(),
            choice: choices.get(name).cloned(),
        })
        .filter(|group| group.name != DEFAULT_GROUP || group.multiplier_ppm.is_some())
        .collect();
    let served: BTreeSet<&str> = channels
        .iter()
        .flat_map(|channel| channel.models.iter().map(String::as_str))
        .collect();
    let prices = options.prices(&served, findings);
    name_other_tables(tables, findings);
    findings.count("groups").found = i64::try_from(groups.len()).unwrap_or(i64::MAX);
    Ok(Plan {
        groups,
        users,
        tokens,
        channels,
        codes,
        prices,
    })
}

/// Groups that users of the source may choose for their tokens, with what is said of each.
fn choices(reading: &mut Reading<'_>, options: &Options) -> BTreeMap<String, String> {
    let mut choices = BTreeMap::new();
    for (text, about) in &options.usable_groups {
        if text == ANY_GROUP {
            let reason = "the group `auto` is not known here";
            let notes = &mut reading.findings.notes;
            notes.add("groups", Effect::LeftOut, text, reason);
        } else if let Some(name) = reading.group(text) {
            let about = about.as_str().unwrap_or_default();
            choices.insert(name, about.chars().take(LONGEST_DESCRIPTION).collect());
        }
    }
    choices
}

fn name_other_tables(tables: &Tables, findings: &mut Findings) {
    for table in &tables.others {
        if DERIVED.contains(&table.as_str()) {
            continue;
        }
        let (effect, reason) = match table.as_str() {
            "two_fas" | "two_fa_backup_codes" | "passkey_credentials" => (
                Effect::Attention,
                "second factors and passkeys are not carried over: their users log in by password \
                 alone until they set one up again",
            ),
            "logs" | "quota_data" => (
                Effect::LeftOut,
                "the history of calls is not carried over; what was spent so far is, as a sum",
            ),
            _ => (Effect::LeftOut, "this table is not carried over"),
        };
        findings.notes.add("tables", effect, table, reason);
    }
}

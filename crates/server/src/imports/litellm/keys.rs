//! Keys of LiteLLM's database. It holds the SHA-256 of each, and clients go on sending the key itself.
//! Nothing that a key could not do there may be possible here: what cannot be read is left out.

use std::collections::{HashMap, HashSet};

use sha2::{Digest as _, Sha256};
use store::users::Status;

use super::accounts::{NOBODY, TEAM_TABLE, USER_TABLE, of_team, of_user};
use super::bounds::{Budgets, limits};
use super::cells::{list, nanos, time};
use crate::config::Secret;
use crate::imports::plan::{TokenSecret, WantedToken};
use crate::imports::report::{Effect, Findings};
use crate::imports::table::{Row, Tables};
use crate::model_pattern::{check, covers};

pub(super) const TOKENS: &str = "tokens";
pub(super) const KEY_TABLE: &str = "LiteLLM_VerificationToken";
/// The team of keys that LiteLLM's own pages call with while somebody is logged in.
const DASHBOARD: &str = "litellm-dashboard";
/// Words in lists of models that are no models.
const EVERY_MODEL: &str = "all-proxy-models";
const MODELS_OF_TEAM: &str = "all-team-models";
/// Words in lists of routes.
const EVERY_CALL: &str = "llm_api_routes";
const LONGEST_NAME: usize = 64;
/// Columns whose rules have no place here.
const RULES: [&str; 3] = ["aliases", "model_max_budget", "config"];

/// What keys are read with.
pub(super) struct Keys<'a> {
    users: HashMap<&'a str, Vec<String>>,
    teams: HashMap<&'a str, Vec<String>>,
    budgets: &'a Budgets<'a>,
}

impl<'a> Keys<'a> {
    /// Whose models there are.
    pub(super) fn new(tables: &'a Tables, budgets: &'a Budgets<'a>) -> Self {
        let models = |table: &str, id: &str| {
            let rows = tables.rows(table);
            rows.filter_map(|row| Some((row.text(id)?, list(row.text("models")))))
                .collect()
        };
        Self {
            users: models(USER_TABLE, "user_id"),
            teams: models(TEAM_TABLE, "team_id"),
            budgets,
        }
    }

    /// Reads all keys.
    pub(super) fn read(&self, tables: &Tables, findings: &mut Findings) -> Vec<WantedToken> {
        let rows = tables.rows(KEY_TABLE);
        rows.filter_map(|row| self.one(&row, findings)).collect()
    }

    fn one(&self, row: &Row<'_>, findings: &mut Findings) -> Option<WantedToken> {
        findings.count(TOKENS).found += 1;
        let name = row.text("key_alias").or_else(|| row.text("key_name"));
        let name: String = name
            .unwrap_or("imported")
            .chars()
            .take(LONGEST_NAME)
            .collect();
        let text = row.text("token").unwrap_or_default();
        let foreign_id = mark(text);
        let item = format!("{foreign_id} {name}");
        let endpoints = endpoints(&list(row.text("allowed_routes")));
        let expires_at = row.text("expires").map(time);
        let (owner, models) = self.owner_and_models(row);
        let reason = match (secret(text, row.text("key_name")), &endpoints, expires_at) {
            _ if row.text("team_id") == Some(DASHBOARD) => "it is one of LiteLLM's own pages",
            (None, ..) => "its key is neither a hash of 64 digits nor 16 to 256 visible characters",
            (_, None, _) => "it is not for model calls",
            (.., Some(None)) => "the time of its end cannot be read",
            _ if models.is_none() => "none of its models is one of its owner's",
            (Some(secret), Some(endpoints), end) => {
                let models = models.unwrap_or_default();
                note_rules(row, &item, &models, findings);
                return Some(WantedToken {
                    foreign_id,
                    owner,
                    name,
                    secret,
                    status: if row.flag("blocked") {
                        Status::Disabled
                    } else {
                        Status::Enabled
                    },
                    group: None,
                    models,
                    endpoints: endpoints.clone(),
                    cidrs: Vec::new(),
                    limits: limits(row, self.budgets, (TOKENS, &item), findings),
                    used_nanos: row.text("spend").and_then(nanos).unwrap_or(0),
                    expires_at: end.flatten(),
                    created_at: row.text("created_at").and_then(time),
                    last_used_at: row.text("last_active").and_then(time),
                });
            }
        };
        findings.leave_out(TOKENS, item, reason);
        None
    }

    /// A key of a team counts for the team alone. A list of its own narrows that of whom it belongs to; none where
    /// nothing is left.
    fn owner_and_models(&self, row: &Row<'_>) -> (String, Option<Vec<String>>) {
        let team = row
            .text("team_id")
            .and_then(|id| Some((id, self.teams.get(id)?)));
        let user = row
            .text("user_id")
            .and_then(|id| Some((id, self.users.get(id)?)));
        let (owner, inherited) = match (team, user) {
            (Some((id, models)), _) => (of_team(id), models.as_slice()),
            (None, Some((id, models))) => (of_user(id), models.as_slice()),
            (None, None) => (NOBODY.to_owned(), [].as_slice()),
        };
        let own = list(row.text("models"));
        if is_everything(&own) {
            let all = is_everything(inherited);
            return (
                owner,
                Some(if all { Vec::new() } else { inherited.to_vec() }),
            );
        }
        let models = if is_everything(inherited) {
            own
        } else {
            in_both(&own, inherited)
        };
        (owner, (!models.is_empty()).then_some(models))
    }
}

/// Whether a list of models is none: all that its owner, or everybody, may use.
fn is_everything(models: &[String]) -> bool {
    let words = [EVERY_MODEL, MODELS_OF_TEAM];
    models.is_empty() || models.iter().any(|name| words.contains(&name.as_str()))
}

/// What two lists of names and patterns allow both.
fn in_both(own: &[String], inherited: &[String]) -> Vec<String> {
    let is_in = |name: &String, list: &[String]| list.iter().any(|entry| covers(entry, name));
    let mut both: Vec<String> = Vec::new();
    let narrower = own.iter().filter(|name| is_in(name, inherited));
    for name in narrower.chain(inherited.iter().filter(|name| is_in(name, own))) {
        if !both.contains(name) {
            both.push(name.clone());
        }
    }
    both
}

fn note_rules(row: &Row<'_>, item: &str, models: &[String], findings: &mut Findings) {
    if models.iter().any(|name| check(name, None).is_err()) {
        let reason = "a pattern with a `*` before its end allows nothing here: name the models that it may use";
        findings.notes.add(TOKENS, Effect::Attention, item, reason);
    }
    let has_rule = |column: &&&str| row.text(column).is_some_and(|text| text != "{}");
    for column in RULES.iter().filter(has_rule) {
        let reason = format!("what `{column}` says of it is not carried over");
        findings.notes.add(TOKENS, Effect::LeftOut, item, &reason);
    }
}

/// Whether keys are there that belong to nobody who is carried over.
pub(super) fn has_orphans(tokens: &[WantedToken]) -> bool {
    tokens.iter().any(|token| token.owner == NOBODY)
}

/// What a key is known by in our records: not its hash, which is kept keyed alone.
fn mark(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..12])
}

fn secret(text: &str, shown: Option<&str>) -> Option<TokenSecret> {
    let mut hash = [0; 32];
    if text.len() == 64 && hex::decode_to_slice(text, &mut hash).is_ok() {
        let shown = shown.unwrap_or("sk-").chars().take(12).collect();
        return Some(TokenSecret::Sha256 { hash, shown });
    }
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_token = is_visible && (16..=256).contains(&text.len());
    is_token.then(|| TokenSecret::Known(Secret::new(text.to_owned())))
}

/// The endpoints that routes mean, empty for all; none where no model call is among them.
fn endpoints(routes: &[String]) -> Option<Vec<String>> {
    if routes.is_empty() || routes.iter().any(|route| route == EVERY_CALL) {
        return Some(Vec::new());
    }
    let paths = routes.iter().filter(|route| route.starts_with('/'));
    let own = paths.map(|path| {
        let has_version = path.starts_with("/v1") || path.starts_with("/v2");
        if has_version {
            path.clone()
        } else {
            format!("/v1{path}")
        }
    });
    let own: HashSet<String> = own.collect();
    let mut own: Vec<String> = own.into_iter().collect();
    own.sort_unstable();
    (!own.is_empty()).then_some(own)
}

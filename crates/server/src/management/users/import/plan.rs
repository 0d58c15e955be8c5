//! What each row would make: the checks of a single new user, and whether names are free in the file
//! and in the records.

use std::collections::{HashMap, HashSet};

use billing::pricing::parse_dollars;
use store::users::{self, Role};
use store::{StoreError, groups};

use super::table::{Cells, Row};
use super::view::{UserImportOutcome, UserImportRow};
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, Identity};
use crate::management::users::account::{Draft, Given};
use crate::management::users::rules;

const SHOWN_NAME: usize = 64;

/// A row and what it would make, or why it makes nothing.
pub(super) struct Planned {
    line: u64,
    username: String,
    pub outcome: Result<NewAccount, String>,
}

/// An account to make.
pub(super) struct NewAccount {
    pub draft: Draft,
    pub password: Option<Secret>,
}

impl Planned {
    /// How it is reported with this outcome.
    pub(super) fn row(&self, outcome: UserImportOutcome, reason: Option<String>) -> UserImportRow {
        UserImportRow {
            line: self.line,
            username: self.username.clone(),
            outcome,
            reason,
        }
    }
}

/// Plans every row.
pub(super) async fn plan(
    app: &App,
    actor: &Identity,
    rows: Vec<Row>,
    reason: &str,
) -> Result<Vec<Planned>, StoreError> {
    let records = app.store().read();
    let groups = groups::list(records).await?.into_iter();
    let groups: HashSet<String> = groups.map(|group| group.name).collect();
    let mut planned: Vec<Planned> = rows
        .into_iter()
        .map(|row| Planned {
            line: row.line,
            username: row.cells.username.chars().take(SHOWN_NAME).collect(),
            outcome: check(app, actor, row, reason, &groups),
        })
        .collect();
    refuse_repeated(&mut planned);
    let names: Vec<&str> = planned.iter().flat_map(names).collect();
    let taken = users::taken_among(records, &names).await?;
    for one in &mut planned {
        let Ok(account) = &one.outcome else { continue };
        let is_taken = |name: &str| taken.contains(&users::name_key(name));
        let email = account.draft.email.as_deref();
        if is_taken(&account.draft.username) {
            one.outcome = Err("A user of that name exists already.".to_owned());
        } else if email.is_some_and(is_taken) {
            one.outcome = Err("That e-mail address belongs to another user.".to_owned());
        }
    }
    Ok(planned)
}

/// The names that a row wants to have for itself.
fn names(planned: &Planned) -> impl Iterator<Item = &str> {
    let draft = planned.outcome.as_ref().ok().map(|account| &account.draft);
    let names = draft.map(|draft| [Some(draft.username.as_str()), draft.email.as_deref()]);
    names.into_iter().flatten().flatten()
}

/// The first row that wants a name has it.
fn refuse_repeated(planned: &mut [Planned]) {
    let mut lines: HashMap<String, u64> = HashMap::new();
    for one in planned {
        let keys: Vec<String> = names(one).map(users::name_key).collect();
        let former = keys
            .iter()
            .find_map(|key| Some((key.clone(), *lines.get(key)?)));
        if let Some((key, line)) = former {
            let what = if key.contains('@') {
                "e-mail address"
            } else {
                "name"
            };
            one.outcome = Err(format!("Line {line} has the same {what}."));
            continue;
        }
        lines.extend(keys.into_iter().map(|key| (key, one.line)));
    }
}

fn check(
    app: &App,
    actor: &Identity,
    row: Row,
    reason: &str,
    groups: &HashSet<String>,
) -> Result<NewAccount, String> {
    if !row.is_whole {
        return Err("It does not have as many cells as the first line.".to_owned());
    }
    let checked = draft(actor, &row.cells, reason).and_then(|draft| {
        if !groups.contains(&draft.group_name) {
            return Err(ApiError::bad_field("group", "there is no such group"));
        }
        match (&row.cells.password, &draft.email) {
            (Some(password), _) => rules::password(app, password)?,
            (None, None) => {
                let problem = "is required where there is no e-mail address to set one by";
                return Err(ApiError::bad_field("password", problem));
            }
            (None, Some(_)) => {}
        }
        Ok(draft)
    });
    let draft = checked.map_err(|error| error.to_string())?;
    let password = row.cells.password;
    Ok(NewAccount { draft, password })
}

fn draft(actor: &Identity, cells: &Cells, reason: &str) -> Result<Draft, ApiError> {
    let given = Given {
        username: &cells.username,
        display_name: cells.display_name.as_deref(),
        email: cells.email.as_deref(),
        group: cells.group.as_deref(),
        role: cells.role.as_deref().map_or(Ok(Role::User), role)?,
        nanos: cells.balance_usd.as_deref().map_or(Ok(0), dollars)?,
        reason: reason.to_owned(),
    };
    Draft::check(actor, given)
}

/// A role by its name or its number.
fn role(text: &str) -> Result<Role, ApiError> {
    let problem = "must be user, administrator or root";
    match text.to_lowercase().as_str() {
        "user" => Ok(Role::User),
        "administrator" => Ok(Role::Administrator),
        "root" => Ok(Role::Root),
        other => rules::role(
            other
                .parse()
                .map_err(|_| ApiError::bad_field("role", problem))?,
        ),
    }
}

/// An amount of zero or more.
fn dollars(text: &str) -> Result<i64, ApiError> {
    let bad = |problem: &str| ApiError::bad_field("balance_usd", problem);
    match parse_dollars(text) {
        Ok(nanos) if nanos >= 0 => Ok(nanos),
        Ok(_) => Err(bad("must be zero or more")),
        Err(error) => Err(bad(&error.to_string())),
    }
}

//! Users. Nobody here is changed: whose name is taken gets another one, and accounts are never merged.

use std::collections::{HashMap, HashSet};

use store::imports::Entity;
use store::ledger::{self, Account, Credit, Movement};
use store::users::{self, NewUser, Status, UserChanges, UserUsage};
use store::{ImportId, Transaction, UserId, referrals};

use super::work::{AT_ONCE, Made, Work};
use crate::imports::error::ImportError;
use crate::imports::plan::WantedUser;
use crate::imports::report::Effect;
use crate::secrets::random_text;

const USERS: &str = "users";
const AFF_CODE_CHARACTERS: usize = 8;
const LONGEST_NAME: usize = 64;
const LONGEST_REMARK: usize = 1_000;

/// The users of a source here; none for those that a dry run would make.
pub(super) type Owners = HashMap<String, Option<UserId>>;

/// What a user will be called.
struct Names {
    username: String,
    email: Option<String>,
    aff_code: String,
}

/// Names that were given in this import.
#[derive(Default)]
struct Given {
    names: HashSet<String>,
    codes: HashSet<String>,
}

/// Makes the users that were not imported before.
pub(super) async fn apply(
    work: &mut Work<'_>,
    wanted: &[WantedUser],
) -> Result<Owners, ImportError> {
    let known = work.known(Entity::User).await?;
    let mut owners = Owners::new();
    let mut given = Given::default();
    for some in wanted.chunks(AT_ONCE) {
        let begun = work.begin().await?;
        for user in some {
            let item = format!("{} {}", user.foreign_id, user.username);
            if let Some(known) = known.get(&user.foreign_id) {
                let id = UserId(known.our_id);
                let is_there = users::get(work.means.store.read(), id).await?.is_some();
                work.is_known(USERS, &item, is_there);
                if is_there {
                    owners.insert(user.foreign_id.clone(), Some(id));
                }
                continue;
            }
            let names = names(work, &mut given, user, &item).await?;
            let inviter = inviter(work, &owners, user, &item);
            let id = match &begun {
                None => None,
                Some((transaction, import)) => {
                    Some(insert(work, transaction, *import, user, (names, inviter)).await?)
                }
            };
            work.findings.count(USERS).created += 1;
            work.findings.wallet_nanos += user.wallet_nanos;
            work.findings.referral_nanos += user.referral_nanos;
            owners.insert(user.foreign_id.clone(), id);
        }
        work.end(begun, some.len()).await?;
    }
    Ok(owners)
}

/// Who invited the user; in a dry run nobody can be said.
fn inviter(work: &mut Work<'_>, owners: &Owners, user: &WantedUser, item: &str) -> Option<UserId> {
    let inviter = user.inviter.as_ref()?;
    if let Some(id) = owners.get(inviter) {
        return *id;
    }
    let reason = "who invited it is not carried over";
    work.findings
        .notes
        .add(USERS, Effect::LeftOut, item, reason);
    None
}

async fn is_free(work: &Work<'_>, given: &Given, login: &str) -> Result<bool, ImportError> {
    let is_given = given.names.contains(&login.to_lowercase());
    let records = work.means.store.read();
    Ok(!is_given && users::find_by_login(records, login).await?.is_none())
}

async fn names(
    work: &mut Work<'_>,
    given: &mut Given,
    user: &WantedUser,
    item: &str,
) -> Result<Names, ImportError> {
    let plain: String = user
        .username
        .trim()
        .chars()
        .filter(|letter| !letter.is_control())
        .map(|letter| if letter == '@' { '.' } else { letter })
        .take(LONGEST_NAME - 8)
        .collect();
    let wanted = if plain.is_empty() {
        format!("user-{}", user.foreign_id)
    } else {
        plain
    };
    let mut username = wanted.clone();
    let mut number = 1;
    while !is_free(work, given, &username).await? {
        number += 1;
        username = format!("{wanted}-{number}");
    }
    if username != user.username {
        let reason = "the login name is taken here, or not one that can be: another one is given";
        let change = format!("{item} as {username}");
        work.findings.changed(USERS, change, reason);
    }
    given.names.insert(username.to_lowercase());
    let mut email = user.email.clone().filter(|email| is_email(email));
    if let Some(address) = &email
        && !is_free(work, given, address).await?
    {
        email = None;
    }
    if email.is_none() && user.email.is_some() {
        let reason = "the e-mail address is taken here, or is none: it is not carried over";
        work.findings
            .notes
            .add(USERS, Effect::LeftOut, item, reason);
    }
    given
        .names
        .extend(email.as_ref().map(|email| email.to_lowercase()));
    let aff_code = aff_code(work, given, user, item).await?;
    Ok(Names {
        username,
        email,
        aff_code,
    })
}

fn is_email(text: &str) -> bool {
    let parts = text.split_once('@');
    let is_fine = parts.is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !host.starts_with('.')
    });
    is_fine && text.len() <= 254 && text.chars().all(|c| !c.is_whitespace() && !c.is_control())
}

async fn aff_code(
    work: &mut Work<'_>,
    given: &mut Given,
    user: &WantedUser,
    item: &str,
) -> Result<String, ImportError> {
    let records = work.means.store.read();
    let mut code = user
        .aff_code
        .clone()
        .filter(|code| code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_graphic()));
    if let Some(wanted) = &code
        && (given.codes.contains(wanted) || users::has_aff_code(records, wanted).await?)
    {
        code = None;
    }
    if code.is_none() && user.aff_code.is_some() {
        let reason = "the invite code is taken here: another one is given";
        work.findings.changed(USERS, item, reason);
    }
    let code = code.unwrap_or_else(|| random_text(work.means.randomness, AFF_CODE_CHARACTERS));
    given.codes.insert(code.clone());
    Ok(code)
}

async fn insert(
    work: &Work<'_>,
    transaction: &Transaction,
    import: ImportId,
    user: &WantedUser,
    (names, inviter): (Names, Option<UserId>),
) -> Result<UserId, ImportError> {
    let new = NewUser {
        username: names.username,
        email: names.email,
        display_name: line(&user.display_name),
        password_hash: user.password_hash.clone(),
        role: user.role,
        group_name: user.group.clone(),
        aff_code: names.aff_code,
        inviter_id: inviter,
        created_at: user.created_at.unwrap_or(work.now),
    };
    let id = users::insert(transaction, new).await?.id;
    let changes = UserChanges {
        status: (user.status != Status::Enabled).then_some(user.status),
        remark: Some(user.remark.chars().take(LONGEST_REMARK).collect()),
        last_login_at: user.last_login_at.map(Some),
        rpm: user.limits.rpm.map(Some),
        tpm: user.limits.tpm.map(Some),
        concurrency: user.limits.concurrency.map(Some),
        budget_total_nanos: user.limits.total_nanos.map(Some),
        budget_daily_nanos: user.limits.daily_nanos.map(Some),
        budget_weekly_nanos: user.limits.weekly_nanos.map(Some),
        budget_monthly_nanos: user.limits.monthly_nanos.map(Some),
        ..UserChanges::default()
    };
    users::update(transaction, id, changes).await?;
    let usage = UserUsage {
        id,
        nanos: user.used_nanos,
        requests: user.request_count,
    };
    users::add_usage(transaction, [usage]).await?;
    if let Some(inviter) = inviter {
        // It was rewarded, or not, where it happened.
        referrals::insert_settled(transaction, id, inviter, work.now).await?;
    }
    book(work, transaction, import, user, id).await?;
    let made = Made {
        entity: Entity::User,
        foreign_id: &user.foreign_id,
        our_id: id.0,
        mark: &user.mark,
        wallet_nanos: user.wallet_nanos,
        referral_nanos: user.referral_nanos,
    };
    work.note(transaction, import, made).await?;
    Ok(id)
}

fn line(text: &str) -> String {
    let visible = text.chars().filter(|letter| !letter.is_control());
    visible.take(LONGEST_NAME).collect()
}

async fn book(
    work: &Work<'_>,
    transaction: &Transaction,
    import: ImportId,
    user: &WantedUser,
    id: UserId,
) -> Result<(), ImportError> {
    let foreign = &user.foreign_id;
    let reason = Some(format!("balance imported from {}", work.source));
    if user.wallet_nanos > 0 {
        let credit = Credit {
            key: format!("import:{import}:user:{foreign}:wallet"),
            user: id,
            counterpart: Account::Adjustments,
            amount_nanos: user.wallet_nanos,
            reference_kind: "import",
            reference_id: import.to_string(),
            reason: reason.clone(),
            at: work.now,
        };
        ledger::credit(transaction, &credit).await?;
    }
    if user.referral_nanos > 0 {
        let movement = Movement {
            key: format!("import:{import}:user:{foreign}:referral"),
            from: Account::Adjustments,
            to: Account::Referral(id),
            amount_nanos: user.referral_nanos,
            reference_kind: "import",
            reference_id: import.to_string(),
            reason,
            at: work.now,
        };
        ledger::post(transaction, &[movement]).await?;
    }
    Ok(())
}

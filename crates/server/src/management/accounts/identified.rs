//! Whose account an identity is: the one that it is linked to, one that is linked or made now, or none.

use serde_json::json;
use store::Transaction;
use store::identities::{self, NewIdentity};
use store::users::{self, NewUser, Role, User};

use super::register::make_user;
use crate::accounts::DEFAULT_GROUP;
use crate::accounts::sign_in::{IdentityProvider, Person};
use crate::app::App;
use crate::management::frame::{Act, ApiError, Identity};
use crate::management::users::rules;
use crate::secrets::random_text;

const AFF_CODE_CHARACTERS: usize = 8;

/// The account of an identity. One that only has the same address is taken where the configuration
/// says so, the provider has verified it and so have we: anybody may type an address. Where it cannot
/// be taken, none is made in its place.
pub(super) async fn account_of(
    app: &App,
    provider: IdentityProvider<'_>,
    person: &Person,
    aff_code: Option<&str>,
) -> Result<Option<User>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let known = identities::note_use(&transaction, provider.issuer(), &person.subject, now).await?;
    if let Some(id) = known {
        let user = users::get(&transaction, id).await?;
        transaction.commit().await?;
        return Ok(user);
    }
    let found = match person
        .verified_email()
        .filter(|_| provider.links_by_email())
    {
        Some(email) => by_address(&transaction, email).await?,
        None => None,
    };
    let user = match found {
        Some(_) if app.config().mail.host.is_none() => {
            tracing::warn!(
                provider = provider.name(),
                "an identity is not linked by its address: without mail.host none is verified"
            );
            return Ok(None);
        }
        Some(user) => user,
        None if provider.registers() && app.config().registration.enabled => {
            if !app.config().registration.allows(person.verified_email()) {
                return Ok(None);
            }
            let inviter = match aff_code {
                Some(code) => users::find_by_aff_code(&transaction, code).await?,
                None => None,
            };
            if inviter.is_none() && app.config().registration.invite_only {
                return Ok(None);
            }
            make_account(app, &transaction, person, inviter).await?
        }
        None => return Ok(None),
    };
    identities::insert(&transaction, new_identity(&user, provider, person), now).await?;
    transaction.commit().await?;
    tracing::info!(user = %user.id, provider = provider.name(), "an identity was linked");
    Ok(Some(user))
}

/// Links an identity to the account of whoever asks; false where it is somebody else's.
pub(super) async fn link(
    app: &App,
    owner: &Identity,
    provider: IdentityProvider<'_>,
    person: &Person,
) -> Result<bool, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let known = identities::note_use(&transaction, provider.issuer(), &person.subject, now).await?;
    if let Some(id) = known {
        return Ok(id == owner.id());
    }
    let new = new_identity(&owner.user, provider, person);
    identities::insert(&transaction, new, now).await?;
    let act = Act {
        action: "identity.link",
        object_kind: "user",
        object_id: owner.id().to_string(),
        changes: json!({"identity": {"to": provider.issuer()}}),
    };
    act.note(&transaction, owner, now).await?;
    transaction.commit().await?;
    Ok(true)
}

fn new_identity<'a>(
    user: &User,
    provider: IdentityProvider<'a>,
    person: &'a Person,
) -> NewIdentity<'a> {
    let names = [&person.email, &person.username, &person.name];
    let label = names
        .into_iter()
        .flatten()
        .next()
        .unwrap_or(&person.subject);
    let end = label
        .char_indices()
        .nth(128)
        .map_or(label.len(), |(at, _)| at);
    NewIdentity {
        user_id: user.id,
        issuer: provider.issuer(),
        subject: &person.subject,
        label: &label[..end],
    }
}

async fn by_address(transaction: &Transaction, email: &str) -> Result<Option<User>, ApiError> {
    let found = users::find_by_login(transaction, email).await?;
    // A login name cannot hold an @, so this is whose address it is.
    Ok(found.filter(|user| user.email.is_some() && email.contains('@')))
}

async fn make_account(
    app: &App,
    transaction: &Transaction,
    person: &Person,
    inviter: Option<User>,
) -> Result<User, ApiError> {
    let wanted = person.username.as_deref();
    let wanted = wanted.or(person.name.as_deref()).unwrap_or_default();
    let plain: String = wanted.chars().take(40).collect();
    let plain = plain.split('@').next();
    let plain = plain.and_then(|name| rules::username(name).ok());
    let mut username = plain.unwrap_or_else(|| "user".to_owned());
    if users::find_by_login(transaction, &username)
        .await?
        .is_some()
    {
        username = format!("{username}-{}", random_text(app.randomness(), 6));
    }
    let email = person
        .verified_email()
        .and_then(|email| rules::email(email).ok());
    let email = match email {
        Some(email) if by_address(transaction, &email).await?.is_none() => Some(email),
        _ => None,
    };
    let display_name = person.name.as_deref().unwrap_or(&username);
    let new = NewUser {
        display_name: rules::display_name(display_name).unwrap_or_else(|_| username.clone()),
        username,
        email,
        password_hash: None,
        role: Role::User,
        group_name: DEFAULT_GROUP.to_owned(),
        aff_code: random_text(app.randomness(), AFF_CODE_CHARACTERS),
        inviter_id: inviter.map(|inviter| inviter.id),
        created_at: app.clock().now_ms(),
    };
    make_user(app, transaction, new).await
}

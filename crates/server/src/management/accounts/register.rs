//! Accounts that visitors make for themselves, invited or not.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use billing::credits::{Grant, grant};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Transaction;
use store::referrals::{self, Rewards};
use store::users::{self, NewUser, Role, User};

use super::login::{LoginView, welcome};
use super::mail::must_be_own;
use crate::accounts::{
    Client, DEFAULT_GROUP, Proof, begin_registering, hash_password, log_in_user,
};
use crate::app::App;
use crate::config::{Config, ReferralEvent, Secret};
use crate::management::frame::{ApiError, Input, Reply};
use crate::management::users::{rules, taken};
use crate::middleware::Caller;
use crate::secrets::random_text;
use crate::settings::Settings;

const AFF_CODE_CHARACTERS: usize = 8;

/// A visitor who wants an account.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RegisterInput {
    /// The login name.
    username: String,
    /// The password.
    #[schemars(with = "String")]
    password: Secret,
    /// The name to show; absent: the login name.
    display_name: Option<String>,
    /// The e-mail address.
    email: Option<String>,
    /// The code that was mailed to the address; needed where a mail server is configured.
    verification_code: Option<String>,
    /// The invite code of another user.
    aff_code: Option<String>,
}

/// `POST /api/user/register`: makes the account and logs it in.
pub(super) async fn register(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    Input(input): Input<RegisterInput>,
) -> Result<Reply<LoginView>, ApiError> {
    if !app.config().registration.enabled {
        return Err(ApiError::forbidden("Registration is switched off."));
    }
    let stored = store::settings::load::<Settings>(app.store().read()).await?;
    if !stored.is_some_and(|stored| stored.document.is_set_up) {
        return Err(ApiError::conflict("Set-up comes first."));
    }
    rules::password(&app, &input.password)?;
    let username = rules::username(&input.username)?;
    let display_name = input.display_name.as_deref().unwrap_or(&username);
    let display_name = rules::display_name(display_name)?;
    let email = input.email.as_deref().filter(|text| !text.is_empty());
    let email = email.map(rules::email).transpose()?;
    check_domain(&app.config(), email.as_deref())?;
    let inviter = inviter(&app, input.aff_code.as_deref()).await?;
    if inviter.is_none() && app.config().registration.invite_only {
        return Err(ApiError::missing(&["aff_code"]));
    }
    let code = input.verification_code.as_deref();
    let password_hash = hash_password(input.password, app.randomness()).await?;
    let transaction = app.store().write().await?;
    must_be_own(&app, &transaction, (&client, None), email.as_deref(), code).await?;
    let new = NewUser {
        username,
        email,
        display_name,
        password_hash: Some(password_hash),
        role: Role::User,
        group_name: DEFAULT_GROUP.to_owned(),
        aff_code: random_text(app.randomness(), AFF_CODE_CHARACTERS),
        inviter_id: inviter.map(|inviter| inviter.id),
        created_at: app.clock().now_ms(),
    };
    let user = make_user(&app, &transaction, new).await?;
    begin_registering(&app, client.address).await?;
    transaction.commit().await?;
    tracing::info!(user = %user.id, "registered");
    welcome(
        &app,
        &caller,
        log_in_user(&app, &client, user, Proof::Own).await?,
    )
    .await
}

/// Refuses an address of a domain that is not on the list, where there is one. Without a mail server nobody has
/// shown that an address is theirs.
fn check_domain(config: &Config, email: Option<&str>) -> Result<(), ApiError> {
    let domains = &config.registration.email_domains;
    if domains.is_empty() {
        return Ok(());
    }
    if config.mail.host.is_none() {
        let text = "Registration needs a mail server here; ask whoever runs this service.";
        return Err(ApiError::forbidden(text));
    }
    let email = email.ok_or_else(|| ApiError::missing(&["email"]))?;
    must_be_allowed(config, email)
}

/// Refuses an address of a domain that accounts may not have.
pub(super) fn must_be_allowed(config: &Config, email: &str) -> Result<(), ApiError> {
    let registration = &config.registration;
    registration
        .allows(Some(email))
        .then_some(())
        .ok_or_else(|| {
            let domains = registration.email_domains.join(", ");
            ApiError::bad_field("email", &format!("must be an address at {domains}"))
        })
}

async fn inviter(app: &App, code: Option<&str>) -> Result<Option<User>, ApiError> {
    let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else {
        return Ok(None);
    };
    let inviter = users::find_by_aff_code(app.store().read(), code).await?;
    let inviter = inviter.ok_or_else(|| ApiError::bad_field("aff_code", "is nobody's"))?;
    Ok(Some(inviter))
}

/// Adds a user, what every new one is given, and what inviting them earns where registering is what earns
/// it.
pub(super) async fn make_user(
    app: &App,
    transaction: &Transaction,
    new: NewUser,
) -> Result<User, ApiError> {
    let now = new.created_at;
    let user = users::insert(transaction, new).await.map_err(taken)?;
    let given = app.config().registration.grant_usd.nanos();
    if given > 0 {
        let gift = Grant {
            key: format!("registration:{}", user.id),
            user: user.id,
            amount_nanos: given,
            reason: Some("registration".to_owned()),
            at: now,
        };
        grant(transaction, &gift).await?;
    }
    if let Some(inviter) = user.inviter_id {
        referrals::insert(transaction, user.id, inviter, now).await?;
        let rule = &app.config().referral;
        if rule.event == ReferralEvent::Registration {
            let rewards = Rewards {
                inviter_nanos: rule.inviter_usd.nanos(),
                invitee_nanos: rule.invitee_usd.nanos(),
            };
            referrals::reward(transaction, user.id, rewards, now).await?;
        }
    }
    Ok(user)
}

//! Mail to people: the code that verifies an address, and the link that resets a password. Whether an
//! address has an account, the answer does not tell.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::audit_log::{self, NewAuditEntry};
use store::users::{self, Status, User, UserChanges};
use store::{Transaction, UserId, access_tokens};

use super::refusals::flow_over;
use crate::accounts::{
    Client, Guess, begin_mailing, begin_try, hash_password, new_mail_code, new_reset_token,
    send_mail, use_mail_code, use_reset_token,
};
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, Input, Nothing, Reply};
use crate::management::users::rules;
use crate::middleware::Caller;

/// An address to verify.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct VerificationInput {
    /// The e-mail address.
    email: String,
}

/// `POST /api/user/verification`: mails a code that shows that the address is one's own.
pub(super) async fn send_code(
    State(app): State<Arc<App>>,
    client: Client,
    Input(input): Input<VerificationInput>,
) -> Result<Reply<Nothing>, ApiError> {
    let email = rules::email(&input.email)?;
    must_have_mail(&app)?;
    begin_mailing(&app, &email, client.address).await?;
    let code = new_mail_code(&app, &email).await?;
    let text = format!(
        "Your code is {code}. It works once, within 15 minutes.\n\n\
         If you did not ask for it, somebody has mistyped their address; nothing happens.\n"
    );
    let config = app.config_in_full();
    let sent = send_mail(&config, &email, "Your Modelgate code", text).await;
    sent.map_err(|error| {
        tracing::warn!(%error, "a code could not be mailed");
        ApiError::unavailable("The mail could not be sent; try again later.")
    })?;
    Ok(Reply::done())
}

/// Refuses an address that its owner has not shown to be theirs, where mail can be sent.
pub(super) async fn must_be_own(
    app: &App,
    transaction: &Transaction,
    (client, owner): (&Client, Option<UserId>),
    email: Option<&str>,
    code: Option<&str>,
) -> Result<(), ApiError> {
    if app.config().mail.host.is_none() {
        return Ok(());
    }
    let (email, code) = match (email, code) {
        (Some(email), Some(code)) => (email, code),
        (None, _) => return Err(ApiError::missing(&["email", "verification_code"])),
        (_, None) => return Err(ApiError::missing(&["verification_code"])),
    };
    let device = owner.and_then(|user| client.device_of(app, user));
    let guess = Guess::MailedCode(email);
    let attempt = begin_try(app, guess, client, device.as_ref()).await?;
    if !use_mail_code(app, transaction, email, code).await? {
        return Err(ApiError::bad_field(
            "verification_code",
            "is wrong, over or used",
        ));
    }
    attempt.forgive(app).await;
    Ok(())
}

/// Who wants a new password: first the address alone, then what the mail holds.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResetInput {
    /// The account's address; a link is mailed to it.
    email: Option<String>,
    /// The token of the link.
    token: Option<String>,
    /// The new password, beside the token.
    #[schemars(with = "Option<String>")]
    password: Option<Secret>,
}

/// `POST /api/user/reset`.
pub(super) async fn reset(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    Input(input): Input<ResetInput>,
) -> Result<Reply<Nothing>, ApiError> {
    match (input.token, input.password, input.email) {
        (Some(token), Some(password), _) => finish_reset(&app, &caller, &token, password).await,
        (Some(_), None, _) => Err(ApiError::missing(&["password"])),
        (None, Some(_), _) => Err(ApiError::missing(&["token"])),
        (None, None, None) => Err(ApiError::missing(&["email"])),
        (None, None, Some(email)) => begin_reset(&app, &client, &email).await,
    }
}

/// The mail is sent after the answer, so that its time tells nothing.
async fn begin_reset(
    app: &Arc<App>,
    client: &Client,
    email: &str,
) -> Result<Reply<Nothing>, ApiError> {
    let email = rules::email(email)?;
    must_have_mail(app)?;
    let base_url = base_of_links(app)?;
    begin_mailing(app, &email, client.address).await?;
    let mailing = app.clone();
    app.stop().running().spawn(async move {
        if let Err(error) = mail_reset(&mailing, &base_url, &email).await {
            tracing::warn!(%error, "a reset link could not be mailed");
        }
    });
    Ok(Reply::done().saying("If an account has this address, a mail is on its way."))
}

/// Where links in mails lead: to the configured address alone. The host that a request names is its
/// sender's choice, and so would be who gets the token of somebody else's link.
fn base_of_links(app: &App) -> Result<String, ApiError> {
    let config = app.config();
    let url = config.server.public_url.as_deref();
    let url = url.ok_or_else(ApiError::no_public_url)?;
    Ok(url.trim_end_matches('/').to_owned())
}

async fn mail_reset(app: &App, base_url: &str, email: &str) -> anyhow::Result<()> {
    let user = users::find_by_login(app.store().read(), email).await?;
    let is_theirs = |user: &User| {
        user.status == Status::Enabled
            && user
                .email
                .as_deref()
                .is_some_and(|known| known.eq_ignore_ascii_case(email))
    };
    let Some(user) = user.filter(is_theirs) else {
        return Ok(());
    };
    let token = new_reset_token(app, &user).await?;
    let text = format!(
        "Set a new password for {} here, within an hour:\n\n{base_url}/reset?token={token}\n\n\
         If you did not ask for it, ignore this mail; your password stays as it is.\n",
        user.username
    );
    let config = app.config_in_full();
    Ok(send_mail(&config, email, "Reset your Modelgate password", text).await?)
}

/// Sets the new password, ends every session and deletes the access tokens: somebody else may have made
/// them. The second factor stays as it is.
async fn finish_reset(
    app: &App,
    caller: &Caller,
    token: &str,
    password: Secret,
) -> Result<Reply<Nothing>, ApiError> {
    rules::password(app, &password)?;
    let hash = hash_password(password, app.randomness()).await?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let user = use_reset_token(app, &transaction, token).await?;
    let user = user.ok_or_else(flow_over)?;
    let changes = UserChanges {
        password_hash: Some(Some(hash)),
        ..UserChanges::default()
    };
    users::update(&transaction, user.id, changes).await?;
    users::raise_auth_version(&transaction, user.id).await?;
    access_tokens::delete_all(&transaction, user.id).await?;
    let entry = NewAuditEntry {
        created_at: now,
        actor_id: Some(user.id),
        action: "user.reset_password".to_owned(),
        object_kind: "user".to_owned(),
        object_id: user.id.to_string(),
        changes: json!({"password": {"to": "changed"}}),
        outcome: "done".to_owned(),
        ip: Some(caller.address.to_string()),
        request_id: Some(caller.request_id.to_string()),
    };
    audit_log::append(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(Reply::done().saying("The password is changed; log in with it."))
}

fn must_have_mail(app: &App) -> Result<(), ApiError> {
    if app.config().mail.host.is_some() {
        return Ok(());
    }
    Err(ApiError::unavailable(
        "No mail server is configured; ask an administrator.",
    ))
}

//! Passkeys: registering, logging in, confirming. A ceremony is a flow that is begun and finished
//! once; its challenge and the host that it is for stay with us.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::passkeys::{self, Passkey};
use store::users;
use store::{PasskeyId, StoreError};

use super::ceremonies::{self, BeginView, Ceremony, LOGIN, REGISTER, VERIFY};
use super::credentials::{AssertedCredential, MadeCredential, decode};
use super::login::{LoginView, welcome};
use super::verify::{ProofView, prove};
use super::{cookies, refusals};
use crate::accounts::passkeys as webauthn;
use crate::accounts::{Client, LoggedIn, end_other_sessions, issue_session, may_log_in};
use crate::app::App;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Moment, Nothing, Reply, changes_between,
};
use crate::middleware::Caller;

/// How many a user may have.
const MOST: usize = 20;
const LONGEST_NAME: usize = 64;

/// A passkey.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Passkey")]
pub struct PasskeyView {
    /// The passkey's id.
    id: i64,
    /// What its user calls it.
    name: String,
    /// When it was registered.
    created_at: Moment,
    /// When it was last used.
    last_used_at: Option<Moment>,
}

impl PasskeyView {
    fn of(passkey: Passkey) -> Self {
        Self {
            id: passkey.id.0,
            name: passkey.name,
            created_at: Moment(passkey.created_at),
            last_used_at: passkey.last_used_at.map(Moment),
        }
    }
}

/// The passkeys of a user.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PasskeysView {
    /// Whether there is one.
    enabled: bool,
    /// When one was last used.
    last_used_at: Option<Moment>,
    /// All of them.
    passkeys: Vec<PasskeyView>,
}

/// `GET /api/user/passkey`.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<PasskeysView>, ApiError> {
    let found = passkeys::list(app.store().read(), identity.id()).await?;
    let last_used_at = found
        .iter()
        .filter_map(|passkey| passkey.last_used_at)
        .max();
    Ok(Reply::of(PasskeysView {
        enabled: !found.is_empty(),
        last_used_at: last_used_at.map(Moment),
        passkeys: found.into_iter().map(PasskeyView::of).collect(),
    }))
}

/// `POST /api/user/passkey/register/begin`.
pub(super) async fn begin_registration(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<BeginView>, ApiError> {
    let known = passkeys::list(app.store().read(), identity.id()).await?;
    if known.len() >= MOST {
        return Err(ApiError::conflict(
            "You have 20 passkeys; delete one first.",
        ));
    }
    let ceremony = Ceremony::new(&app, &identity.caller, identity.session())?;
    let options = ceremony.creation_options(&app, &identity.user, &known);
    ceremonies::begin(&app, REGISTER, Some(&identity.user), &ceremony, options).await
}

/// A passkey that a browser has made.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FinishRegistration {
    /// What the beginning gave.
    flow_token: String,
    /// What the browser gave, as `toJSON()` writes it.
    credential: MadeCredential,
    /// What its user calls it.
    name: Option<String>,
}

/// `POST /api/user/passkey/register/finish`: ends the user's other sessions.
pub(super) async fn finish_registration(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(input): Input<FinishRegistration>,
) -> Result<Reply<PasskeyView>, ApiError> {
    let name = name(input.name.as_deref())?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let flow = ceremonies::finish(&app, &transaction, REGISTER, &input.flow_token).await?;
    let ceremony = flow.of_user(&identity)?;
    let (client_data, attestation) = input.credential.decoded()?;
    let registration = webauthn::Registration {
        client_data: &client_data,
        attestation: &attestation,
        transports: input.credential.transports(),
    };
    let made = webauthn::register(&ceremony.party, &ceremony.challenge, registration);
    let (id, credential) = made.map_err(refusals::not_a_passkey)?;
    let document =
        serde_json::to_string(&credential).map_err(|error| ApiError::internal(&error))?;
    let user = identity.id();
    let passkey = passkeys::insert(&transaction, user, &id, &name, &document, now).await;
    let view = PasskeyView::of(passkey.map_err(|error| match error {
        StoreError::Conflict(_) => ApiError::conflict("This passkey is registered already."),
        other => other.into(),
    })?);
    let act = Act {
        action: "passkey.register",
        object_kind: "passkey",
        object_id: view.id.to_string(),
        changes: changes_between(&(), &view),
    };
    act.note(&transaction, &identity, now).await?;
    let secret = end_other_sessions(&app, &transaction, user, identity.session()).await?;
    transaction.commit().await?;
    Ok(cookies::renewed(
        &app,
        &identity.caller,
        Reply::of(view),
        secret,
    ))
}

fn name(given: Option<&str>) -> Result<String, ApiError> {
    let name = given
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .unwrap_or("passkey");
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(ApiError::bad_field(
            "name",
            "must have at most 64 visible characters",
        ));
    }
    Ok(name.to_owned())
}

/// `POST /api/user/passkey/login/begin`.
pub(super) async fn begin_login(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Reply<BeginView>, ApiError> {
    let ceremony = Ceremony::new(&app, &caller, None)?;
    let options = ceremony.request_options(&[]);
    ceremonies::begin(&app, LOGIN, None, &ceremony, options).await
}

/// A passkey that a browser has used.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FinishAssertion {
    /// What the beginning gave.
    flow_token: String,
    /// What the browser gave, as `toJSON()` writes it.
    credential: AssertedCredential,
}

/// `POST /api/user/passkey/login/finish`: the passkey has verified its user and so is both factors.
pub(super) async fn finish_login(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    Input(input): Input<FinishAssertion>,
) -> Result<Reply<LoginView>, ApiError> {
    let transaction = app.store().write().await?;
    let flow = ceremonies::finish(&app, &transaction, LOGIN, &input.flow_token).await?;
    let id = decode("credential.id", &input.credential.id)?;
    let passkey = passkeys::find(&transaction, &id).await?;
    let passkey = passkey.ok_or_else(refusals::unknown_passkey)?;
    let user = users::get(&transaction, passkey.user_id).await?;
    let user = user.ok_or_else(refusals::unknown_passkey)?;
    let handle = input.credential.user_handle()?;
    if handle.is_some_and(|handle| handle != ceremonies::user_handle(&app, user.id)) {
        return Err(refusals::unknown_passkey());
    }
    flow.check(&app, &transaction, &passkey, &input.credential)
        .await?;
    may_log_in(&app, &user)?;
    let session = issue_session(&app, &transaction, &user, &client, true).await?;
    transaction.commit().await?;
    welcome(&app, &caller, LoggedIn::Session(Box::new(user), session)).await
}

/// `POST /api/user/passkey/verify/begin`.
pub(super) async fn begin_verify(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Reply<BeginView>, ApiError> {
    let known = passkeys::list(app.store().read(), identity.id()).await?;
    if known.is_empty() {
        return Err(ApiError::conflict("You have no passkey."));
    }
    let ceremony = Ceremony::new(&app, &identity.caller, identity.session())?;
    let options = ceremony.request_options(&known);
    ceremonies::begin(&app, VERIFY, Some(&identity.user), &ceremony, options).await
}

/// `POST /api/user/passkey/verify/finish`.
pub(super) async fn finish_verify(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(input): Input<FinishAssertion>,
) -> Result<Reply<ProofView>, ApiError> {
    let transaction = app.store().write().await?;
    let flow = ceremonies::finish(&app, &transaction, VERIFY, &input.flow_token).await?;
    flow.of_user(&identity)?;
    let id = decode("credential.id", &input.credential.id)?;
    let passkey = passkeys::find(&transaction, &id).await?;
    let passkey = passkey.filter(|passkey| passkey.user_id == identity.id());
    let passkey = passkey.ok_or_else(refusals::unknown_passkey)?;
    flow.check(&app, &transaction, &passkey, &input.credential)
        .await?;
    let proof = prove(&app, &transaction, &identity).await?;
    transaction.commit().await?;
    Ok(Reply::of(proof))
}

/// `DELETE /api/user/passkey/{id}`: ends the user's other sessions.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let transaction = app.store().write().await?;
    let known = passkeys::list(&transaction, identity.id()).await?;
    if !known.iter().any(|passkey| passkey.id == PasskeyId(id)) {
        return Err(ApiError::not_found("The passkey"));
    }
    passkeys::delete(&transaction, identity.id(), PasskeyId(id)).await?;
    let act = Act {
        action: "passkey.delete",
        object_kind: "passkey",
        object_id: id.to_string(),
        changes: json!({}),
    };
    act.note(&transaction, &identity, app.clock().now_ms())
        .await?;
    let kept = identity.session();
    let secret = end_other_sessions(&app, &transaction, identity.id(), kept).await?;
    transaction.commit().await?;
    Ok(cookies::renewed(
        &app,
        &identity.caller,
        Reply::done(),
        secret,
    ))
}

/// A list of passkeys as browsers want it.
pub(super) fn descriptors(known: &[Passkey]) -> Value {
    let descriptor = |passkey: &Passkey| {
        let credential = serde_json::from_str::<webauthn::Credential>(&passkey.credential);
        let transports = credential
            .map(|credential| credential.transports)
            .unwrap_or_default();
        json!({
            "type": "public-key",
            "id": ceremonies::base64(&passkey.credential_id),
            "transports": transports,
        })
    };
    known.iter().map(descriptor).collect()
}

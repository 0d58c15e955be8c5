//! Logging in through an identity provider. The browser that comes back must be the one that was sent
//! there: a cookie says so. What goes wrong sends it to the login page with a word.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::UserId;
use store::login_flows::{self, LoginFlow};
use store::users::{Role, User};
use subtle::ConstantTimeEq as _;

use super::cookies;
use super::identified::{account_of, link};
use crate::accounts::sign_in::{IdentityProvider, Person};
use crate::accounts::{Client, LoggedIn, LoginError, Proof, log_in_user, new_secret};
use crate::app::App;
use crate::config::Config;
use crate::management::frame::{ApiError, At, Identity, Reply, Search, cookie};
use crate::management::public_base::public_base;
use crate::middleware::Caller;
use crate::secrets::hash_token;

const PURPOSE: &str = "oidc_login";
const FLOW_MS: i64 = 600_000;
const LONGEST_CODE: usize = 4_096;

/// What is remembered while a person is at the provider.
#[derive(Debug, Serialize, Deserialize)]
struct Journey {
    provider: String,
    redirect_uri: String,
    nonce: String,
    verifier: String,
    aff_code: Option<String>,
    links_to: Option<UserId>,
}

/// What a login may bring along.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Leaving {
    /// The invite code of another user, for somebody who is new here.
    aff: Option<String>,
}

/// `GET /api/oauth/{provider}`: sends the browser to the provider.
pub(super) async fn leave(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    At(name): At<String>,
    Search(leaving): Search<Leaving>,
) -> Result<Response, ApiError> {
    let aff_code = leaving.aff.filter(|code| code.len() <= 64);
    let (url, state) = set_out(&app, &caller, &name, (aff_code, None)).await?;
    Ok(redirect(&url, vec![cookies::journey(&caller, &state)]))
}

/// Where the browser goes on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GoOn {
    /// The provider's page.
    url: String,
}

/// `POST /api/oauth/{provider}/link`: the same for somebody who is logged in and wants to log in so
/// from now on.
pub(super) async fn leave_to_link(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    identity: Identity,
    At(name): At<String>,
) -> Result<Reply<GoOn>, ApiError> {
    let (url, state) = set_out(&app, &caller, &name, (None, Some(identity.id()))).await?;
    let (header, value) = cookies::journey(&caller, &state);
    Ok(Reply::of(GoOn { url }).with_header(header, value))
}

/// The provider's page and the secret of the journey there.
async fn set_out(
    app: &App,
    caller: &Caller,
    name: &str,
    (aff_code, links_to): (Option<String>, Option<UserId>),
) -> Result<(String, String), ApiError> {
    let config = app.config_in_full();
    let provider = known(&config, name)?;
    let journey = Journey {
        redirect_uri: format!("{}/api/oauth/{name}/callback", public_base(app, caller)?),
        provider: name.to_owned(),
        nonce: new_secret(app.randomness()),
        verifier: new_secret(app.randomness()),
        aff_code,
        links_to,
    };
    let state = new_secret(app.randomness());
    let secrets = (
        state.as_str(),
        journey.nonce.as_str(),
        journey.verifier.as_str(),
    );
    let page = provider.page(app, &journey.redirect_uri, secrets).await;
    let url = page.map_err(|error| {
        tracing::warn!(%error, provider = name, "an identity provider cannot be used");
        ApiError::bad_gateway("The identity provider cannot be reached.")
    })?;
    remember(app, &state, &journey).await?;
    Ok((url, state))
}

async fn remember(app: &App, state: &str, journey: &Journey) -> Result<(), ApiError> {
    let now = app.clock().now_ms();
    let bytes = serde_json::to_vec(journey).map_err(|error| ApiError::internal(&error))?;
    let flow = LoginFlow {
        purpose: PURPOSE.to_owned(),
        user_id: None,
        auth_version: 0,
        state: Some(bytes),
        attempts: 0,
        expires_at: now + FLOW_MS,
    };
    let hash = hash_token(app.keys(), PURPOSE, state);
    let transaction = app.store().write().await?;
    login_flows::begin(&transaction, &hash, &flow, now).await?;
    transaction.commit().await?;
    Ok(())
}

/// What the provider sends back.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Returned {
    /// What is exchanged for the person's identity.
    code: Option<String>,
    /// What was sent along.
    state: Option<String>,
    /// Why there is no code.
    error: Option<String>,
}

/// `GET /api/oauth/{provider}/callback`.
pub(super) async fn come_back(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    identity: Option<Identity>,
    At(name): At<String>,
    headers: HeaderMap,
    Search(returned): Search<Returned>,
) -> Result<Response, ApiError> {
    let config = app.config_in_full();
    let provider = known(&config, &name)?;
    let Some((journey, code)) = journey_of(&app, &headers, returned, &name).await? else {
        return Ok(to_login(&caller, "flow_expired"));
    };
    let Some(code) = code else {
        return Ok(to_login(&caller, "provider_refused"));
    };
    let secrets = (
        code.as_str(),
        journey.nonce.as_str(),
        journey.verifier.as_str(),
    );
    let identified = provider.identify(&app, &journey.redirect_uri, secrets);
    let person = match identified.await {
        Ok(person) => person,
        Err(error) => {
            tracing::warn!(%error, provider = name, "a login through a provider failed");
            return Ok(to_login(&caller, "provider_failed"));
        }
    };
    if let Some(owner) = journey.links_to {
        let identity = identity.filter(|identity| identity.id() == owner);
        let Some(identity) = identity else {
            return Ok(to_login(&caller, "flow_expired"));
        };
        let is_linked = link(&app, &identity, provider, &person).await?;
        let word = if is_linked {
            "linked"
        } else {
            "identity_taken"
        };
        return Ok(leave_to(
            &caller,
            &format!("/console/account?identity={word}"),
        ));
    }
    let aff_code = journey.aff_code.as_deref();
    let Some(user) = account_of(&app, provider, &person, aff_code).await? else {
        return Ok(to_login(&caller, "no_account"));
    };
    if !is_allowed(&config, &user, &person) {
        return Ok(to_login(&caller, "email_domain"));
    }
    match log_in_user(&app, &client, user, Proof::Provider).await {
        Ok(logged_in) => Ok(welcome(&app, &caller, logged_in)),
        Err(LoginError::Disabled) => Ok(to_login(&caller, "account_disabled")),
        Err(LoginError::EmailDomain) => Ok(to_login(&caller, "email_domain")),
        Err(error) => Err(error.into()),
    }
}

/// Whether the address that the provider tells of a person is one that accounts may have: it may have changed since
/// the account was made.
fn is_allowed(config: &Config, user: &User, person: &Person) -> bool {
    let email = person.verified_email();
    user.role == Role::Root || email.is_none() || config.registration.allows(email)
}

/// The journey that this browser set out on, and the code it brings; it ends here, whatever follows.
async fn journey_of(
    app: &App,
    headers: &HeaderMap,
    returned: Returned,
    name: &str,
) -> Result<Option<(Journey, Option<String>)>, ApiError> {
    let state = returned.state.unwrap_or_default();
    let sent = cookie(headers, cookies::JOURNEY_COOKIE).unwrap_or_default();
    let is_same = bool::from(sent.as_bytes().ct_eq(state.as_bytes()));
    if state.is_empty() || state.len() > 128 || !is_same {
        return Ok(None);
    }
    let journey = recall(app, &state).await?;
    let journey = journey.filter(|journey| journey.provider == name);
    let code = returned
        .code
        .filter(|code| !code.is_empty() && code.len() <= LONGEST_CODE);
    let code = code.filter(|_| returned.error.is_none());
    Ok(journey.map(|journey| (journey, code)))
}

async fn recall(app: &App, state: &str) -> Result<Option<Journey>, ApiError> {
    let now = app.clock().now_ms();
    let hash = hash_token(app.keys(), PURPOSE, state);
    let transaction = app.store().write().await?;
    let flow = login_flows::find(&transaction, PURPOSE, &hash, now).await?;
    let is_first = login_flows::consume(&transaction, PURPOSE, &hash, now).await?;
    transaction.commit().await?;
    let state = flow.filter(|_| is_first).and_then(|flow| flow.state);
    Ok(state.and_then(|state| serde_json::from_slice(&state).ok()))
}

fn known<'a>(config: &'a Config, name: &str) -> Result<IdentityProvider<'a>, ApiError> {
    let found = IdentityProvider::named(config, name);
    found.ok_or_else(|| ApiError::not_found("The identity provider"))
}

fn welcome(app: &App, caller: &Caller, logged_in: LoggedIn) -> Response {
    let over = cookies::no_journey(caller);
    match logged_in {
        LoggedIn::Session(_, session) => {
            let hours = app.config().login.session_hours;
            let [session, device] = cookies::logged_in(caller, &session, hours);
            redirect("/console", vec![session, device, over])
        }
        LoggedIn::NeedsCode { flow_token, .. } => {
            redirect("/login/2fa", vec![cookies::flow(caller, &flow_token), over])
        }
    }
}

fn to_login(caller: &Caller, word: &str) -> Response {
    leave_to(caller, &format!("/login?error={word}"))
}

fn leave_to(caller: &Caller, place: &str) -> Response {
    redirect(place, vec![cookies::no_journey(caller)])
}

fn redirect(url: &str, cookies: Vec<cookies::Cookie>) -> Response {
    let Ok(location) = HeaderValue::from_str(url) else {
        return ApiError::broken().into_response();
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().insert(header::LOCATION, location);
    for (name, value) in cookies {
        response.headers_mut().append(name, value);
    }
    response
}

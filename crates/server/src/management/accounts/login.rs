//! Logging in and out.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sessions;
use store::users::User;

use super::cookies;
use super::refusals::flow_over;
use crate::accounts::{Client, IssuedSession, LoggedIn, finish_login, log_in};
use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, Identity, Input, Moment, Nothing, Reply, cookie};
use crate::management::users::{UserView, view_of};
use crate::middleware::Caller;

/// Who wants to log in.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LoginInput {
    /// A login name or an e-mail address.
    username: Option<String>,
    /// The same; either is enough.
    email: Option<String>,
    /// The password.
    #[schemars(with = "String", required)]
    password: Option<Secret>,
}

/// The user; or, where a second factor is on, what the second step needs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LoginView {
    /// Logged in: the session's cookie came with it.
    User(Box<UserView>),
    /// A code is needed.
    NeedsCode(NeedsCodeView),
}

/// What the second step needs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NeedsCode")]
pub struct NeedsCodeView {
    /// Always true.
    require_2fa: bool,
    /// To be sent back with the code; a cookie holds it too.
    flow_token: String,
    /// When it ends.
    expires_at: Moment,
}

/// `POST /api/user/login`.
pub(super) async fn log_in_by_password(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    Input(input): Input<LoginInput>,
) -> Result<Reply<LoginView>, ApiError> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let login = given(input.username).or(given(input.email));
    let password = input.password.filter(|password| !password.is_empty());
    let (login, password) = match (login, password) {
        (Some(login), Some(password)) => (login, password),
        (None, Some(_)) => return Err(ApiError::missing(&["username"])),
        (Some(_), None) => return Err(ApiError::missing(&["password"])),
        (None, None) => return Err(ApiError::missing(&["username", "password"])),
    };
    let logged_in = log_in(&app, &client, &login, password).await?;
    welcome(&app, &caller, logged_in).await
}

/// The reply to a login, whichever way it came.
pub(super) async fn welcome(
    app: &App,
    caller: &Caller,
    logged_in: LoggedIn,
) -> Result<Reply<LoginView>, ApiError> {
    match logged_in {
        LoggedIn::Session(user, session) => welcome_user(app, caller, *user, &session).await,
        LoggedIn::NeedsCode {
            flow_token,
            expires_at,
        } => {
            let (name, value) = cookies::flow(caller, &flow_token);
            let view = NeedsCodeView {
                require_2fa: true,
                flow_token,
                expires_at: Moment(expires_at),
            };
            let reply = Reply::of(LoginView::NeedsCode(view));
            Ok(reply
                .saying("A code of the second factor is needed.")
                .with_header(name, value))
        }
    }
}

async fn welcome_user(
    app: &App,
    caller: &Caller,
    user: User,
    session: &IssuedSession,
) -> Result<Reply<LoginView>, ApiError> {
    let records = app.store().read();
    let user = store::users::get(records, user.id).await?.unwrap_or(user);
    let view = view_of(records, user).await?;
    let hours = app.config().login.session_hours;
    let [session, device] = cookies::logged_in(caller, session, hours);
    let reply = Reply::of(LoginView::User(Box::new(view)));
    let set = [session, device, cookies::no_flow(caller)];
    Ok(set
        .into_iter()
        .fold(reply, |reply, (name, value)| reply.with_header(name, value)))
}

/// The second step of a login.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CodeInput {
    /// Six digits of the authenticator app, or a backup code.
    code: String,
    /// What the first step gave; absent: the cookie has it.
    flow_token: Option<String>,
}

/// `POST /api/user/login/2fa`.
pub(super) async fn log_in_by_code(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    headers: HeaderMap,
    Input(input): Input<CodeInput>,
) -> Result<Reply<LoginView>, ApiError> {
    if input.code.trim().is_empty() {
        return Err(ApiError::missing(&["code"]));
    }
    let flow_token = input.flow_token.filter(|token| !token.is_empty());
    let flow_token = flow_token.or_else(|| {
        cookie(&headers, cookies::FLOW_COOKIE)
            .filter(|token| !token.is_empty())
            .map(str::to_owned)
    });
    let flow_token = flow_token.ok_or_else(|| ApiError::missing(&["flow_token"]))?;
    if flow_token.len() > 128 {
        return Err(flow_over());
    }
    let (user, session) = finish_login(&app, &client, &flow_token, &input.code).await?;
    welcome_user(&app, &caller, user, &session).await
}

/// `POST /api/user/logout`: works without a session too, and then only removes the cookie.
pub(super) async fn log_out(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    identity: Option<Identity>,
) -> Result<Reply<Nothing>, ApiError> {
    let session = identity.as_ref().and_then(Identity::session);
    if let Some(session) = session {
        let transaction = app.store().write().await?;
        sessions::delete(&transaction, session.user_id, session.id).await?;
        transaction.commit().await?;
    }
    let (name, value) = cookies::no_session(&caller);
    Ok(Reply::done().with_header(name, value))
}

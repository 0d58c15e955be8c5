//! The cookies: of a login session, and of a login that waits for its second factor.

use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;
use store::UserId;

use crate::accounts::{DEVICE_COOKIE, Device, FLOW_SECONDS, IssuedSession};
use crate::app::App;
use crate::management::frame::{Reply, SESSION_COOKIE};
use crate::middleware::Caller;

/// The cookie of a login that waits for its second factor, for clients that keep only cookies.
pub const FLOW_COOKIE: &str = "pending_2fa";

/// The cookie of a browser that was sent to an identity provider.
pub const JOURNEY_COOKIE: &str = "oidc_journey";

const JOURNEY_PATH: &str = "/api/oauth";
const JOURNEY_SECONDS: i64 = 600;
/// Browsers keep a cookie for 400 days at most.
const DEVICE_SECONDS: u64 = 400 * 86_400;
const DEVICE_PATH: &str = "/api";
const FLOW_PATH: &str = "/api/user/login";

/// A cookie header.
pub type Cookie = (HeaderName, HeaderValue);

/// Sets the session's cookie for as long as the session lives.
pub fn session(caller: &Caller, secret: &str, hours: u32) -> Cookie {
    let seconds = u64::from(hours) * 3600;
    let rest = format!("Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax");
    cookie(caller, SESSION_COOKIE, secret, &rest)
}

/// Sets the cookies of a login: of its session, and of the device that is known from now on.
pub fn logged_in(caller: &Caller, issued: &IssuedSession, hours: u32) -> [Cookie; 2] {
    let user = issued.session.user_id;
    [
        session(caller, &issued.secret, hours),
        device(caller, user, &issued.device),
    ]
}

fn device(caller: &Caller, user: UserId, device: &Device) -> Cookie {
    let name = format!("{DEVICE_COOKIE}{}", user.0);
    let rest = format!("Path={DEVICE_PATH}; Max-Age={DEVICE_SECONDS}; HttpOnly; SameSite=Strict");
    cookie(caller, &name, device.mark(), &rest)
}

/// Removes the session's cookie.
pub fn no_session(caller: &Caller) -> Cookie {
    cookie(
        caller,
        SESSION_COOKIE,
        "",
        "Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    )
}

/// Sets the cookie of a login that waits for its second factor.
pub fn flow(caller: &Caller, token: &str) -> Cookie {
    let rest = format!("Path={FLOW_PATH}; Max-Age={FLOW_SECONDS}; HttpOnly; SameSite=Strict");
    cookie(caller, FLOW_COOKIE, token, &rest)
}

/// Removes it.
pub fn no_flow(caller: &Caller) -> Cookie {
    let rest = format!("Path={FLOW_PATH}; Max-Age=0; HttpOnly; SameSite=Strict");
    cookie(caller, FLOW_COOKIE, "", &rest)
}

/// Sets the cookie of a browser that was sent to an identity provider. It comes back from another
/// site, so that a strict cookie would not come along.
pub fn journey(caller: &Caller, state: &str) -> Cookie {
    let rest = format!("Path={JOURNEY_PATH}; Max-Age={JOURNEY_SECONDS}; HttpOnly; SameSite=Lax");
    cookie(caller, JOURNEY_COOKIE, state, &rest)
}

/// Removes it.
pub fn no_journey(caller: &Caller) -> Cookie {
    let rest = format!("Path={JOURNEY_PATH}; Max-Age=0; HttpOnly; SameSite=Lax");
    cookie(caller, JOURNEY_COOKIE, "", &rest)
}

/// Adds the cookie of a session that goes on under a new secret, where there is one.
pub fn renewed<T: Serialize + JsonSchema>(
    app: &App,
    caller: &Caller,
    reply: Reply<T>,
    secret: Option<String>,
) -> Reply<T> {
    let Some(secret) = secret else {
        return reply;
    };
    let (name, value) = session(caller, &secret, app.config().login.session_hours);
    reply.with_header(name, value)
}

fn cookie(caller: &Caller, name: &str, value: &str, rest: &str) -> Cookie {
    let secure = if caller.is_https() { "; Secure" } else { "" };
    let text = format!("{name}={value}; {rest}{secure}");
    // Secrets are base64url; nothing else varies.
    let value = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
    (header::SET_COOKIE, value)
}

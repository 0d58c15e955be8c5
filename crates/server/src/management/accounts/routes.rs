//! The routes of accounts.

use super::{
    access_tokens, ceremonies, identities, leave, login, mail, oauth, passkeys, profile, register,
    second_factor, sessions, setup, verify,
};
use crate::management::frame::{Level, Route};
use crate::management::users::UserView;

/// The routes.
pub fn routes() -> Vec<Route> {
    let mut routes = entrances();
    routes.extend(own());
    routes.extend(factors());
    routes.extend(passkey_routes());
    routes.extend(provider_routes());
    routes
}

fn entrances() -> Vec<Route> {
    vec![
        Route::get("/api/setup", Level::None, setup::show)
            .about("Read whether set-up is still to be done")
            .gives::<setup::SetUpView>(),
        Route::post("/api/setup", Level::None, setup::claim)
            .about("Make the root user with the one-time code of the setup link")
            .takes::<setup::SetUpInput>()
            .gives::<login::LoginView>(),
        Route::post("/api/user/register", Level::None, register::register)
            .about("Make an account for oneself")
            .takes::<register::RegisterInput>()
            .gives::<login::LoginView>(),
        Route::post("/api/user/verification", Level::None, mail::send_code)
            .about("Mail a code that verifies an address")
            .details("Where a mail server is configured, registration takes the code.")
            .takes::<mail::VerificationInput>(),
        Route::post("/api/user/reset", Level::None, mail::reset)
            .about("Reset a forgotten password")
            .details(
                "With `email` alone, mails a link; with the `token` of the link and a `password`, sets \
                 it and ends all sessions.",
            )
            .takes::<mail::ResetInput>(),
        Route::post("/api/user/login", Level::None, login::log_in_by_password)
            .about("Log in with a password")
            .details(
                "Sets the cookie `session`. Where a second factor is on, gives a flow token instead.",
            )
            .takes::<login::LoginInput>()
            .gives::<login::LoginView>(),
        Route::post("/api/user/login/2fa", Level::None, login::log_in_by_code)
            .about("Finish a login with a code of the second factor")
            .details("Each code works once. Five wrong ones lock: 429 with `retry-after`.")
            .takes::<login::CodeInput>()
            .gives::<login::LoginView>(),
        Route::post("/api/user/logout", Level::None, login::log_out).about("Log out"),
    ]
}

fn own() -> Vec<Route> {
    vec![
        Route::get("/api/user/self", Level::User, profile::show)
            .about("Read one's own account")
            .gives::<UserView>(),
        Route::delete("/api/user/self", Level::User, leave::leave)
            .about("Delete one's own account")
            .details(
                "Takes the password if there is one; with a second factor or without a password also a step-up. \
                 What the wallet holds is lost; the ledger and the log keep the id. The last root user stays.",
            )
            .takes::<leave::Leaving>()
            .session_only(),
        Route::put("/api/user/self", Level::User, profile::update)
            .about("Change one's own account")
            .takes::<profile::ProfileInput>()
            .gives::<UserView>(),
        Route::get("/api/user/sessions", Level::User, sessions::list)
            .about("List one's login sessions")
            .gives::<Vec<sessions::SessionView>>(),
        Route::delete("/api/user/sessions", Level::User, sessions::revoke_others)
            .about("End all login sessions but this one"),
        Route::get("/api/user/{id}/sessions", Level::Administrator, sessions::list_of)
            .about("List where another user is logged in")
            .gives::<Vec<sessions::SessionView>>(),
        Route::delete("/api/user/{id}/sessions", Level::Administrator, sessions::revoke_of)
            .about("End all login sessions of another user"),
        Route::delete("/api/user/sessions/{id}", Level::User, sessions::revoke)
            .about("End one login session"),
        Route::get("/api/user/pat", Level::User, access_tokens::list)
            .about("List one's personal access tokens")
            .gives::<Vec<access_tokens::AccessTokenView>>(),
        Route::post("/api/user/pat", Level::User, access_tokens::create)
            .about("Make a personal access token, shown once")
            .details("It has the scopes `read`, `write` and `billing` unless fewer are named, and ends after 90 days unless `expires_at` says otherwise, after a year at most.")
            .takes::<access_tokens::NewAccessToken>()
            .gives::<access_tokens::MadeAccessToken>()
            .step_up(),
        Route::delete("/api/user/pat/{id}", Level::User, access_tokens::delete)
            .about("Delete a personal access token"),
    ]
}

fn factors() -> Vec<Route> {
    vec![
        Route::get("/api/user/2fa/status", Level::User, second_factor::status)
            .about("Read the state of one's second factor")
            .gives::<second_factor::FactorView>(),
        Route::post("/api/user/2fa/setup", Level::User, second_factor::set_up)
            .about("Begin to set up an authenticator app")
            .gives::<second_factor::FactorSetUp>()
            .step_up(),
        Route::post("/api/user/2fa/enable", Level::User, second_factor::enable)
            .about("Switch the second factor on with its first code")
            .takes::<second_factor::FactorCode>()
            .gives::<second_factor::FactorView>()
            .step_up(),
        Route::post("/api/user/2fa/disable", Level::User, second_factor::disable)
            .about("Switch the second factor off")
            .takes::<second_factor::FactorCode>()
            .gives::<second_factor::FactorView>()
            .session_only(),
        Route::post(
            "/api/user/2fa/backup_codes",
            Level::User,
            second_factor::renew_backup_codes,
        )
        .about("Replace the backup codes")
        .takes::<second_factor::FactorCode>()
        .gives::<second_factor::BackupCodes>()
        .session_only(),
        Route::get("/api/verify", Level::User, verify::show)
            .about("Read what a step-up takes, and until when the last one counts")
            .gives::<verify::VerificationView>()
            .session_only(),
        Route::post("/api/verify", Level::User, verify::verify)
            .about("Prove again who you are, for the next ten minutes of this session")
            .details(
                "Takes the password if the account has one, and a code if a second factor is on. \
                 `/api/user/passkey/verify/begin` does the same with a passkey.",
            )
            .takes::<verify::VerifyInput>()
            .gives::<verify::ProofView>()
            .session_only(),
    ]
}

fn provider_routes() -> Vec<Route> {
    vec![
        Route::get("/api/oauth/{provider}", Level::None, oauth::leave)
            .about("Log in through an identity provider: sends the browser there")
            .details("`/api/status` lists the providers.")
            .searches::<oauth::Leaving>()
            .redirects(),
        Route::get("/api/oauth/{provider}/callback", Level::None, oauth::come_back)
            .about("Come back from an identity provider")
            .details(
                "Sends the browser on: to `/console`, to `/login/2fa` where a second factor is on, or to \
                 `/login?error=…` with `flow_expired`, `provider_refused`, `provider_failed`, `no_account` \
                 or `account_disabled`; after linking, to `/console/account?identity=…` with `linked` or \
                 `identity_taken`.",
            )
            .searches::<oauth::Returned>()
            .redirects(),
        Route::post("/api/oauth/{provider}/link", Level::User, oauth::leave_to_link)
            .about("Begin to link an identity to one's account")
            .details("The browser goes on to `url`, and comes back to the callback.")
            .gives::<oauth::GoOn>()
            .step_up(),
        Route::get("/api/user/identities", Level::User, identities::list)
            .about("List the identities that are linked to one's account")
            .gives::<Vec<identities::IdentityView>>(),
        Route::delete("/api/user/identities/{id}", Level::User, identities::unlink)
            .about("Unlink an identity")
            .step_up(),
    ]
}

fn passkey_routes() -> Vec<Route> {
    vec![
        Route::get("/api/user/passkey", Level::User, passkeys::list)
            .about("List one's passkeys")
            .gives::<passkeys::PasskeysView>(),
        Route::delete("/api/user/passkey/{id}", Level::User, passkeys::delete)
            .about("Delete a passkey")
            .step_up(),
        Route::post(
            "/api/user/passkey/register/begin",
            Level::User,
            passkeys::begin_registration,
        )
        .about("Begin to register a passkey")
        .gives::<ceremonies::BeginView>()
        .step_up(),
        Route::post(
            "/api/user/passkey/register/finish",
            Level::User,
            passkeys::finish_registration,
        )
        .about("Register the passkey that the browser has made")
        .takes::<passkeys::FinishRegistration>()
        .gives::<passkeys::PasskeyView>()
        .step_up(),
        Route::post(
            "/api/user/passkey/login/begin",
            Level::None,
            passkeys::begin_login,
        )
        .about("Begin to log in with a passkey")
        .gives::<ceremonies::BeginView>(),
        Route::post(
            "/api/user/passkey/login/finish",
            Level::None,
            passkeys::finish_login,
        )
        .about("Log in with the passkey that the browser has used")
        .details("The passkey has verified its user: no second factor is asked for.")
        .takes::<passkeys::FinishAssertion>()
        .gives::<login::LoginView>(),
        Route::post(
            "/api/user/passkey/verify/begin",
            Level::User,
            passkeys::begin_verify,
        )
        .about("Begin to prove with a passkey who you are")
        .gives::<ceremonies::BeginView>()
        .session_only(),
        Route::post(
            "/api/user/passkey/verify/finish",
            Level::User,
            passkeys::finish_verify,
        )
        .about("Prove with the passkey that the browser has used who you are")
        .takes::<passkeys::FinishAssertion>()
        .gives::<verify::ProofView>()
        .session_only(),
    ]
}

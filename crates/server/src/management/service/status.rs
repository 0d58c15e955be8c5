//! `GET /api/status`: what a page needs before anybody is logged in.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::passkeys::RelyingParty;
use crate::accounts::sign_in::IdentityProvider;
use crate::app::App;
use crate::config::{ConsoleMode, EnvironmentColor, MailConfig};
use crate::management::frame::{ApiError, Moment, Reply};
use crate::middleware::Caller;
use crate::payments::{PROVIDERS, surroundings};
use crate::settings::Settings;

/// What a visitor may know of the installation.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that a page reads one by one"
)]
pub struct StatusView {
    /// The program's version.
    version: &'static str,
    /// Whether there is a root user; otherwise set-up comes first.
    is_set_up: bool,
    /// Whether set-up chose the demo channel.
    is_demo: bool,
    /// Whether visitors may make accounts.
    registration: bool,
    /// Whether a new account needs somebody's invite code.
    invite_only: bool,
    /// Whether registration takes an address and the code mailed to it.
    email_verification: bool,
    /// Below which balance people get a mail who did not choose, in dollars; 0 is never, `null` that no mail is sent.
    low_balance_usd: Option<String>,
    /// Least length of a password.
    password_length: u32,
    /// What the pages call the service.
    name: String,
    /// Whom it is for; `null` before set-up.
    mode: Option<ConsoleMode>,
    /// Whether wallets can be topped up.
    wallet: bool,
    /// Whether inviting earns anything.
    referral: bool,
    /// Whether visitors may see models and prices.
    catalogue: bool,
    /// Whether visitors may see how the models are doing.
    status_page: bool,
    /// Whether passkeys work at the address that the page was called at.
    passkeys: bool,
    /// Identity providers to log in through, at `/api/oauth/{id}`.
    sign_in: Vec<SignInView>,
    /// A ribbon for every page.
    environment: Option<EnvironmentView>,
    /// The currency that amounts are shown in.
    display_currency: CurrencyView,
    /// The time of the service.
    now: Moment,
}

/// An identity provider.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignInView {
    /// Its name in addresses.
    id: String,
    /// What people call it.
    label: String,
}

/// A ribbon that says which installation this is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnvironmentView {
    /// Its word.
    name: String,
    /// Its colour.
    color: EnvironmentColor,
}

/// A currency to show amounts in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CurrencyView {
    /// Its three letters.
    code: String,
    /// How many of it a dollar is, as decimal text.
    rate: String,
}

fn sign_in(provider: IdentityProvider<'_>) -> SignInView {
    SignInView {
        id: provider.name().to_owned(),
        label: provider.label().to_owned(),
    }
}

fn low_balance_usd(mail: &MailConfig) -> Option<String> {
    let is_sent = mail.host.is_some();
    is_sent.then(|| mail.low_balance_usd.to_string())
}

/// Shows the status.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Reply<StatusView>, ApiError> {
    let stored = store::settings::load::<Settings>(app.store().read()).await?;
    let settings = stored.map(|stored| stored.document).unwrap_or_default();
    let around = surroundings(&app).await?;
    let wallet = PROVIDERS
        .iter()
        .any(|provider| provider.is_offered(&around));
    let config = app.config();
    let (console, referral) = (&config.console, &config.referral);
    let ribbon = console.environment_name.clone();
    Ok(Reply::of(StatusView {
        version: env!("CARGO_PKG_VERSION"),
        is_set_up: settings.is_set_up,
        is_demo: settings.is_demo,
        registration: config.registration.enabled,
        invite_only: config.registration.invite_only,
        email_verification: config.mail.host.is_some(),
        low_balance_usd: low_balance_usd(&config.mail),
        password_length: config.login.password_length,
        name: console.name.clone(),
        mode: settings.is_set_up.then_some(console.mode),
        wallet,
        referral: referral.inviter_usd.nanos() > 0 || referral.invitee_usd.nanos() > 0,
        catalogue: console.catalogue,
        status_page: console.status_page,
        passkeys: RelyingParty::at(&caller.base_url).is_some(),
        sign_in: IdentityProvider::all(&config).map(sign_in).collect(),
        environment: ribbon.map(|name| EnvironmentView {
            name,
            color: console.environment_color,
        }),
        display_currency: CurrencyView {
            code: console.display_currency.clone(),
            rate: console.display_rate.clone(),
        },
        now: Moment(app.clock().now_ms()),
    }))
}

//! Configuration: defaults < `modelgate.toml` < settings in the database < environment
//! `MODELGATE_SECTION__KEY` < flags.
//! A file for each section or a few that belong together; `modelgate.default.toml` in the
//! repository's root is the reference.
//! To add a setting: a field with its doc comment and default in its section, a line in the
//! reference (tests compare both), and `docs/configuration.md` regenerated.

mod accounts;
mod billing;
mod calls;
mod channels;
mod choices;
mod console;
mod database;
mod describe;
mod dollars;
mod field_names;
mod incidents;
mod layers;
mod limits;
mod load;
#[cfg(test)]
mod load_tests;
mod loader;
mod mail;
mod network;
mod oauth;
mod oidc;
mod overrides;
mod payments;
mod prices;
mod problem;
mod redis;
mod reference;
mod reload;
mod retention;
mod secret;
mod secrets;
mod server;
mod telemetry;
mod tokens;

pub use accounts::{LoginConfig, ReferralConfig, ReferralEvent, RegistrationConfig};
pub use billing::{BillingConfig, Durability, Unpriced};
pub use calls::{OutboundConfig, RealtimeConfig, ResponsesConfig};
pub use channels::{CHANNEL_DIALECTS, ChannelDeclaration, ChannelLimits, ChannelTimeouts};
pub use console::{ConsoleConfig, ConsoleMode, EnvironmentColor, RoutingConfig};
pub use database::DatabaseConfig;
pub use describe::{SettingDescription, describe};
pub use dollars::{Dollars, NotDollars};
pub use incidents::{AlertFormat, AlertsConfig, IncidentsConfig, LeastSeverity};
pub use limits::{LimitsConfig, MIN_OFFLOAD_BYTES};
pub use load::{Config, Flags, Sources};
pub use mail::{MailConfig, MailSecurity};
pub use network::{Network, NotANetwork};
pub use oauth::{ClientAuth, OAuthDeclaration, OAuthPreset};
pub use oidc::OidcDeclaration;
pub use overrides::{Overrides, Place};
pub use payments::{EpayConfig, SandboxConfig, StripeConfig};
pub use prices::{PriceDeclaration, PriceTier};
pub use problem::{Origin, Problem, Problems, suggestion};
pub use redis::RedisConfig;
pub use reference::{REFERENCE, render_documentation, show};
pub use reload::{Changes, changes};
pub use retention::RetentionConfig;
pub use secret::{REDACTED, Secret};
pub use secrets::SecretsConfig;
pub use server::ServerConfig;
pub use telemetry::{LogConfig, LogFormat, TelemetryConfig};
pub use tokens::{TokenDeclaration, is_token};

//! The rules by which incidents open: their names, and what they mean. Thresholds are the
//! configuration's.

use schemars::JsonSchema;

use crate::config::IncidentsConfig;

/// A rule by which incidents open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename = "IncidentRule", rename_all = "snake_case")]
pub enum Rule {
    /// A channel is switched on and serves nobody.
    ChannelDown,
    /// An upstream does not take a key any more.
    KeyRefused,
    /// Nobody serves a model.
    ModelUnserved,
    /// Too many of all calls fail.
    ErrorRate,
    /// Too many calls of a model fail.
    ModelErrorRate,
    /// First bytes of a model come late.
    SlowFirstByte,
    /// An hour cost far more than usual.
    SpendAnomaly,
    /// Redis is away.
    RedisLost,
    /// The database is away.
    DatabaseLost,
    /// The journal of charges fills.
    JournalFilling,
    /// Charges are written too slowly.
    SettlementBacklog,
    /// A node does not show itself any more.
    NodeLost,
    /// The disk fills.
    DiskLow,
    /// The certificate ends soon.
    CertificateExpiring,
    /// A payment is disputed, or its payer's bank suspects fraud.
    PaymentFlagged,
    /// Calls through a channel used more than was reserved and could be charged.
    ReservationExceeded,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 16] = [
        Self::ChannelDown,
        Self::KeyRefused,
        Self::ModelUnserved,
        Self::ErrorRate,
        Self::ModelErrorRate,
        Self::SlowFirstByte,
        Self::SpendAnomaly,
        Self::RedisLost,
        Self::DatabaseLost,
        Self::JournalFilling,
        Self::SettlementBacklog,
        Self::NodeLost,
        Self::DiskLow,
        Self::CertificateExpiring,
        Self::PaymentFlagged,
        Self::ReservationExceeded,
    ];

    /// Its name in the records, in the configuration and on the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChannelDown => "channel_down",
            Self::KeyRefused => "key_refused",
            Self::ModelUnserved => "model_unserved",
            Self::ErrorRate => "error_rate",
            Self::ModelErrorRate => "model_error_rate",
            Self::SlowFirstByte => "slow_first_byte",
            Self::SpendAnomaly => "spend_anomaly",
            Self::RedisLost => "redis_lost",
            Self::DatabaseLost => "database_lost",
            Self::JournalFilling => "journal_filling",
            Self::SettlementBacklog => "settlement_backlog",
            Self::NodeLost => "node_lost",
            Self::DiskLow => "disk_low",
            Self::CertificateExpiring => "certificate_expiring",
            Self::PaymentFlagged => "payment_flagged",
            Self::ReservationExceeded => "reservation_exceeded",
        }
    }

    /// How long it must hold before it is an incident. What looks back over a while anyway, or does
    /// not come and go, needs no wait.
    pub(super) fn wait_ms(self, config: &IncidentsConfig) -> i64 {
        match self {
            Self::ChannelDown
            | Self::KeyRefused
            | Self::ModelUnserved
            | Self::RedisLost
            | Self::DatabaseLost => i64::from(config.after_s) * 1000,
            _ => 0,
        }
    }

    /// Since when one that a person has closed keeps its cause from opening another. What happened once, and does not come
    /// and go, stays closed.
    pub(super) fn quiet_since(self, config: &IncidentsConfig, now: i64) -> i64 {
        match self {
            Self::PaymentFlagged => 0,
            _ => now - i64::from(config.quiet_s) * 1000,
        }
    }

    pub(super) fn is_off(self, config: &IncidentsConfig) -> bool {
        config.off.iter().any(|name| name == self.name())
    }
}

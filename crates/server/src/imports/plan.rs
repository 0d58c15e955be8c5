//! What a source asks for, in our own terms: whatever the source is, this is what is applied.

use std::collections::BTreeMap;

use billing::pricing::PriceSheet;
use serde_json::Value;
use store::users::{Role, Status};

use crate::config::Secret;

/// Everything that a source asks for.
#[derive(Debug, Default)]
pub struct Plan {
    /// Groups, also those that only users, tokens or channels name.
    pub groups: Vec<WantedGroup>,
    /// Users; whoever invited others comes before them.
    pub users: Vec<WantedUser>,
    /// Tokens of these users.
    pub tokens: Vec<WantedToken>,
    /// Channels.
    pub channels: Vec<WantedChannel>,
    /// Redemption codes that nobody redeemed.
    pub codes: Vec<WantedCode>,
    /// Prices.
    pub prices: Vec<WantedPrice>,
}

impl Plan {
    /// How many records it asks for.
    pub fn records(&self) -> usize {
        self.groups.len()
            + self.users.len()
            + self.tokens.len()
            + self.channels.len()
            + self.codes.len()
            + self.prices.len()
    }
}

/// A group.
#[derive(Debug)]
pub struct WantedGroup {
    /// Its name.
    pub name: String,
    /// Its price multiplier in millionths; none where the source says nothing.
    pub multiplier_ppm: Option<i64>,
    /// What the source says of it to the users who may choose it for their tokens; none where they may not.
    pub choice: Option<String>,
}

/// A user.
#[derive(Debug)]
pub struct WantedUser {
    /// What the source calls it.
    pub foreign_id: String,
    /// Something of it that does not change.
    pub mark: String,
    /// The login name.
    pub username: String,
    /// The name to show.
    pub display_name: String,
    /// The e-mail address.
    pub email: Option<String>,
    /// A note of administrators.
    pub remark: String,
    /// The hash of the password, as the source has it.
    pub password_hash: Option<String>,
    /// What the user may do.
    pub role: Role,
    /// Whether the account works.
    pub status: Status,
    /// The group.
    pub group: String,
    /// What can be spent.
    pub wallet_nanos: i64,
    /// What was earned by inviting others.
    pub referral_nanos: i64,
    /// What all calls cost so far.
    pub used_nanos: i64,
    /// How many calls there were.
    pub request_count: i64,
    /// The invite code.
    pub aff_code: Option<String>,
    /// Who invited the user, as the source calls them.
    pub inviter: Option<String>,
    /// When the account was made.
    pub created_at: Option<i64>,
    /// When the user last logged in.
    pub last_login_at: Option<i64>,
    /// How much all its tokens together may use.
    pub limits: WantedLimits,
}

/// How much may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedLimits {
    /// Requests a minute.
    pub rpm: Option<i64>,
    /// Tokens (of text) a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
    /// What may ever be spent.
    pub total_nanos: Option<i64>,
    /// What may be spent a day.
    pub daily_nanos: Option<i64>,
    /// What may be spent a week.
    pub weekly_nanos: Option<i64>,
    /// What may be spent a month.
    pub monthly_nanos: Option<i64>,
}

/// What is known of what clients send.
#[derive(Debug)]
pub enum TokenSecret {
    /// The text itself.
    Known(Secret),
    /// Its SHA-256, and what may be shown of it.
    Sha256 {
        /// The hash.
        hash: [u8; 32],
        /// To tell tokens apart.
        shown: String,
    },
}

/// A token.
#[derive(Debug)]
pub struct WantedToken {
    /// What the source calls it.
    pub foreign_id: String,
    /// Whose, as the source calls them.
    pub owner: String,
    /// What the user calls it.
    pub name: String,
    /// What clients send.
    pub secret: TokenSecret,
    /// Whether it works.
    pub status: Status,
    /// The group it calls as; none: the user's.
    pub group: Option<String>,
    /// Models it may use; empty: all.
    pub models: Vec<String>,
    /// Endpoints it may call; empty: all.
    pub endpoints: Vec<String>,
    /// Networks it may be used from; empty: all.
    pub cidrs: Vec<String>,
    /// How much it may use.
    pub limits: WantedLimits,
    /// What it spent so far.
    pub used_nanos: i64,
    /// When it ends, if ever.
    pub expires_at: Option<i64>,
    /// When it was made.
    pub created_at: Option<i64>,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// A channel.
#[derive(Debug, Default)]
pub struct WantedChannel {
    /// What the source calls it.
    pub foreign_id: String,
    /// Its name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Where the provider is reached; empty: its own address.
    pub base_url: String,
    /// Its keys.
    pub keys: Vec<Secret>,
    /// Names that clients may ask for.
    pub models: Vec<String>,
    /// Which of them the upstream calls otherwise.
    pub mapping: BTreeMap<String, String>,
    /// Groups that may use it; empty: all.
    pub groups: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Higher tiers are tried first.
    pub priority: i64,
    /// The share within its tier.
    pub weight: i64,
    /// Why it does not take calls; none where it does.
    pub off_because: Option<String>,
    /// Requests a minute.
    pub rpm: Option<i64>,
    /// Tokens (of text) a minute.
    pub tpm: Option<i64>,
    /// Headers and body fields to set.
    pub overrides: Option<Value>,
    /// The proxy to go through.
    pub proxy: Option<String>,
}

/// A redemption code.
#[derive(Debug)]
pub struct WantedCode {
    /// What the source calls it.
    pub foreign_id: String,
    /// What people type.
    pub code: Secret,
    /// What the batch is called.
    pub name: String,
    /// What it is worth.
    pub credit_nanos: i64,
    /// Whether it is switched off.
    pub is_disabled: bool,
    /// When it was made.
    pub created_at: Option<i64>,
    /// When it ends, if ever.
    pub expires_at: Option<i64>,
}

/// A price.
#[derive(Debug)]
pub struct WantedPrice {
    /// The model that clients ask for.
    pub model: String,
    /// What it costs.
    pub sheet: PriceSheet,
}

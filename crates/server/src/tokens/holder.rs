//! Who holds a token, and what it may do.

use std::net::IpAddr;

use billing::wallet::{token_budgets, user_budgets};
use ipnet::IpNet;
use store::budgets::Budget;
use store::tokens::{Purpose, Token};
use store::users::{Status, User};
use store::{TokenId, UserId};

use crate::limits::HolderLimits;

/// A token with everything that a call needs to know of it and of its user.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The token.
    pub token_id: TokenId,
    /// Who pays.
    pub user_id: UserId,
    /// The group whose channels and prices count.
    pub group: String,
    /// The group's price multiplier in millionths.
    pub multiplier_ppm: i64,
    token: Token,
    user: User,
    models: Vec<String>,
    endpoints: Vec<String>,
    networks: Vec<IpNet>,
    expires_at: Option<i64>,
    is_enabled: bool,
    limits: HolderLimits,
}

impl Holder {
    /// Puts together what the records say.
    pub fn new(token: Token, user: &User, multiplier_ppm: i64) -> Self {
        let group = token
            .group_name
            .as_ref()
            .unwrap_or(&user.group_name)
            .clone();
        Self {
            token_id: token.id,
            user_id: user.id,
            group,
            multiplier_ppm,
            models: token.models.0.clone(),
            endpoints: token.endpoints.0.clone(),
            // What is stored was checked; what cannot be read allows nobody.
            networks: token
                .cidrs
                .0
                .iter()
                .filter_map(|text| text.parse().ok())
                .collect(),
            expires_at: token.expires_at,
            is_enabled: token.status == Status::Enabled && user.status == Status::Enabled,
            limits: HolderLimits::default(),
            user: user.clone(),
            token,
        }
    }

    /// The same holder, held to these limits.
    #[must_use]
    pub fn limited(self, limits: HolderLimits) -> Self {
        Self { limits, ..self }
    }

    /// The limits that its calls count in.
    pub fn limits(&self) -> &HolderLimits {
        &self.limits
    }

    /// Where its calls come from, for the log.
    pub fn source(&self) -> &'static str {
        match self.token.purpose {
            Purpose::Api => "api",
            Purpose::Playground => "playground",
        }
    }

    /// Whether the token works now.
    pub fn is_valid(&self, now: i64) -> bool {
        self.is_enabled && self.expires_at.is_none_or(|end| now < end)
    }

    /// The budgets that a call counts in now.
    pub fn budgets(&self, now: i64) -> Vec<Budget> {
        let mut budgets = token_budgets(&self.token, now);
        budgets.extend(user_budgets(&self.user, now));
        budgets
    }

    /// Whether it may use this model.
    pub fn may_use(&self, model: &str) -> bool {
        self.models.is_empty() || self.models.iter().any(|allowed| allowed == model)
    }

    /// Whether it may call this endpoint.
    pub fn may_call(&self, endpoint: &str) -> bool {
        self.endpoints.is_empty() || self.endpoints.iter().any(|allowed| allowed == endpoint)
    }

    /// Whether it may be used from this address.
    pub fn may_come_from(&self, address: IpAddr) -> bool {
        self.networks.is_empty()
            || self
                .networks
                .iter()
                .any(|network| network.contains(&address))
    }
}

//! Who holds a token, and what it may do.

use std::net::IpAddr;

use billing::wallet::{token_budgets, user_budgets};
use ipnet::IpNet;
use store::budgets::Budget;
use store::tokens::{Purpose, Token};
use store::users::{Role, Status, User};
use store::{ChannelId, TokenId, UserId};

use crate::limits::HolderLimits;
use crate::model_pattern::covers;

/// A token with everything that a call needs to know of it and of its user. Small, since many are kept and a call
/// finds most of them cold: what few tokens have lies elsewhere.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The token.
    pub token_id: TokenId,
    /// Who pays.
    pub user_id: UserId,
    /// The group whose channels and prices count.
    pub group: Box<str>,
    /// The group's price multiplier in millionths.
    pub multiplier_ppm: i64,
    /// Whether hosted tools may be used whose vendor gives no bound.
    pub allows_hosted_tools: bool,
    purpose: Purpose,
    is_enabled: bool,
    expires_at: Option<i64>,
    /// None where everything is allowed.
    bounds: Option<Box<Bounds>>,
    /// None where neither has a budget.
    budgeted: Option<Box<Budgeted>>,
    limits: HolderLimits,
}

/// What a token is bound to; an empty list allows all. Among the models there may be patterns.
#[derive(Debug, Clone)]
struct Bounds {
    models: Vec<String>,
    endpoints: Vec<String>,
    networks: Option<Vec<IpNet>>,
    channel: Option<ChannelId>,
}

/// Whose budgets a call counts in.
#[derive(Debug, Clone)]
struct Budgeted {
    token: Token,
    user: User,
}

impl Holder {
    /// Puts together what the records say.
    pub fn new(token: Token, user: &User, multiplier_ppm: i64) -> Self {
        let group = token.group_name.as_ref().unwrap_or(&user.group_name);
        // Who is no administrator any more has no say in channels either.
        let may_choose = token.channel_id.is_none() || user.role != Role::User;
        let is_enabled = token.status == Status::Enabled && user.status == Status::Enabled;
        Self {
            token_id: token.id,
            user_id: user.id,
            group: group.as_str().into(),
            multiplier_ppm,
            allows_hosted_tools: false,
            purpose: token.purpose,
            is_enabled: is_enabled && may_choose,
            expires_at: token.expires_at,
            bounds: Bounds::of(&token),
            budgeted: Budgeted::of(token, user),
            limits: HolderLimits::default(),
        }
    }

    /// The same holder, held to these limits.
    #[must_use]
    pub fn limited(self, limits: HolderLimits) -> Self {
        Self { limits, ..self }
    }

    /// The same holder, in a group that allows hosted tools so.
    #[must_use]
    pub fn with_hosted_tools(self, allows_hosted_tools: bool) -> Self {
        Self {
            allows_hosted_tools,
            ..self
        }
    }

    /// The same holder, known by a secret that works until then at most.
    #[must_use]
    pub fn until(self, end: i64) -> Self {
        let ends_at = self
            .expires_at
            .map_or(end, |expires_at| expires_at.min(end));
        Self {
            expires_at: Some(ends_at),
            ..self
        }
    }

    /// The limits that its calls count in.
    pub fn limits(&self) -> &HolderLimits {
        &self.limits
    }

    /// Where its calls come from, for the log.
    pub fn source(&self) -> &'static str {
        match self.purpose {
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
        let budgeted = self.budgeted.as_ref();
        budgeted.map_or_else(Vec::new, |budgeted| budgeted.budgets(now))
    }

    /// Whether it may use this model.
    pub fn may_use(&self, model: &str) -> bool {
        let bounds = self.bounds.as_ref();
        bounds.is_none_or(|bounds| allows(&bounds.models, |entry| covers(entry, model)))
    }

    /// The one channel that its calls may go through; none for nearly all.
    pub fn channel(&self) -> Option<ChannelId> {
        self.bounds.as_ref()?.channel
    }

    /// Whether it may call this endpoint.
    pub fn may_call(&self, endpoint: &str) -> bool {
        let bounds = self.bounds.as_ref();
        bounds.is_none_or(|bounds| allows(&bounds.endpoints, |path| path == endpoint))
    }

    /// Whether it may be used from this address.
    pub fn may_come_from(&self, address: IpAddr) -> bool {
        let bounds = self.bounds.as_ref();
        let networks = bounds.and_then(|bounds| bounds.networks.as_ref());
        networks.is_none_or(|networks| networks.iter().any(|one| one.contains(&address)))
    }
}

impl Bounds {
    fn of(token: &Token) -> Option<Box<Self>> {
        let (models, endpoints, networks) = (&token.models.0, &token.endpoints.0, &token.cidrs.0);
        let has_lists = !models.is_empty() || !endpoints.is_empty() || !networks.is_empty();
        (has_lists || token.channel_id.is_some()).then(|| {
            Box::new(Self {
                models: models.clone(),
                endpoints: endpoints.clone(),
                // What is stored was checked; what cannot be read allows nobody.
                networks: (!networks.is_empty())
                    .then(|| networks.iter().filter_map(|text| text.parse().ok()))
                    .map(Iterator::collect),
                channel: token.channel_id,
            })
        })
    }
}

impl Budgeted {
    fn of(token: Token, user: &User) -> Option<Box<Self>> {
        let user = user.clone();
        let budgeted = Box::new(Self { token, user });
        (!budgeted.budgets(0).is_empty()).then_some(budgeted)
    }

    fn budgets(&self, now: i64) -> Vec<Budget> {
        let mut budgets = token_budgets(&self.token, now);
        budgets.extend(user_budgets(&self.user, now));
        budgets
    }
}

fn allows(entries: &[String], is_meant: impl Fn(&str) -> bool) -> bool {
    entries.is_empty() || entries.iter().any(|entry| is_meant(entry))
}

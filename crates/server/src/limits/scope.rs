//! Whom limits are counted for: a token, its user and its group, each under a name of its own.

use std::sync::Arc;

use store::groups::Group;
use store::tokens::Token;
use store::users::User;

/// How many of them a call counts for.
pub(super) const SCOPES: usize = 3;

/// How much one of them may call; none is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// Calls a minute.
    pub rpm: Option<u64>,
    /// Tokens of text a minute.
    pub tpm: Option<u64>,
    /// Calls at once.
    pub concurrency: Option<u32>,
}

impl Ceilings {
    /// What the records say; anything that is no positive number is no limit.
    pub fn of_records(rpm: Option<i64>, tpm: Option<i64>, concurrency: Option<i64>) -> Self {
        let positive = |value: Option<i64>| {
            let value = value.and_then(|value| u64::try_from(value).ok());
            value.filter(|value| *value > 0)
        };
        let concurrency = positive(concurrency);
        Self {
            rpm: positive(rpm),
            tpm: positive(tpm),
            concurrency: concurrency.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        }
    }

    /// What the configuration says, where 0 is no limit.
    pub fn of_configuration(rpm: u32, tpm: u32, concurrency: u32) -> Self {
        Self::of_records(Some(rpm.into()), Some(tpm.into()), Some(concurrency.into()))
    }

    /// These where they say something, else the others.
    #[must_use]
    pub fn or(self, default: Self) -> Self {
        Self {
            rpm: self.rpm.or(default.rpm),
            tpm: self.tpm.or(default.tpm),
            concurrency: self.concurrency.or(default.concurrency),
        }
    }

    /// Whether there is no limit at all.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

/// The limits that a token's calls count in; users and groups mostly have none.
#[derive(Debug, Clone, Default)]
pub struct HolderLimits {
    pub(super) token: Scope,
    pub(super) user: Option<Box<Scope>>,
    pub(super) group: Option<Box<Scope>>,
}

/// One of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) ceilings: Ceilings,
    /// The names of its states, made once; calls hold on to them.
    pub(super) requests: Arc<str>,
    pub(super) tokens: Arc<str>,
    pub(super) slots: Arc<str>,
}

impl HolderLimits {
    /// Puts together what the records say.
    pub fn new(token: &Token, user: &User, group: Option<&Group>) -> Self {
        let own = Ceilings::of_records(token.rpm, token.tpm, token.concurrency);
        let all = Ceilings::of_records(user.rpm, user.tpm, user.concurrency);
        let group = group.and_then(|group| {
            let ceilings = Ceilings::of_records(group.rpm, group.tpm, group.concurrency);
            Scope::limited(ceilings, &format!("group:{}", group.id))
        });
        Self {
            token: Scope::new(own, &format!("token:{}", token.id)),
            user: Scope::limited(all, &format!("user:{}", user.id)),
            group,
        }
    }
}

impl Scope {
    pub(super) fn new(ceilings: Ceilings, name: &str) -> Self {
        Self {
            ceilings,
            requests: format!("{name}:rpm").into(),
            tokens: format!("{name}:tpm").into(),
            slots: name.into(),
        }
    }

    /// None where there is no limit.
    pub(super) fn limited(ceilings: Ceilings, name: &str) -> Option<Box<Self>> {
        let is_limited = !ceilings.is_unlimited();
        is_limited.then(|| Box::new(Self::new(ceilings, name)))
    }
}

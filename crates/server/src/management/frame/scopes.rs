//! Scopes of access tokens: each operation needs exactly one, which the table of routes names. A login session
//! has all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::{Carrier, Identity};
use super::reply::ApiError;

/// A right that an access token can have.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AccessScope {
    /// Reading.
    Read,
    /// Changing what is not money.
    Write,
    /// Moving money: top-ups, redemption codes, transfers, balances, prices.
    Billing,
}

impl AccessScope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Billing];

    /// Its name on the interface and in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Billing => "billing",
        }
    }

    /// Scopes as the records keep them.
    pub fn joined(scopes: &[Self]) -> String {
        let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        names.join(" ")
    }

    /// Scopes that the records keep; unknown ones are none.
    pub fn split(text: &str) -> Vec<Self> {
        let named = |name: &str| Self::ALL.into_iter().find(|scope| scope.name() == name);
        text.split(' ').filter_map(named).collect()
    }
}

/// Refuses an access token without a scope.
pub fn require_scope(identity: &Identity, scope: AccessScope) -> Result<(), ApiError> {
    let Carrier::AccessToken(token) = &identity.carrier else {
        return Ok(());
    };
    if AccessScope::split(&token.scopes).contains(&scope) {
        return Ok(());
    }
    let text = format!("The access token lacks the scope \"{}\".", scope.name());
    Err(ApiError::forbidden(text).with_code("insufficient_scope"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_kept_as_text() {
        let text = AccessScope::joined(&AccessScope::ALL);
        assert_eq!(text, "read write billing");
        assert_eq!(AccessScope::split(&text), AccessScope::ALL);
        assert_eq!(AccessScope::split("admin read"), [AccessScope::Read]);
        assert!(AccessScope::split("").is_empty());
    }
}

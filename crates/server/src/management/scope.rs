//! Whose records a call is about: one's own, or everybody's where one may see them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::frame::{ApiError, Identity};

/// Whose records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The caller's own.
    Own,
    /// Everybody's.
    All,
}

/// Whose records to show.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ScopeQuery {
    /// `self` (the default) or, for administrators, `all`.
    scope: Option<String>,
}

impl ScopeQuery {
    /// The scope, where the caller may have it.
    pub fn scope(&self, identity: &Identity) -> Result<Scope, ApiError> {
        match self.scope.as_deref() {
            None | Some("" | "self") => Ok(Scope::Own),
            Some("all") if identity.is_administrator() => Ok(Scope::All),
            Some("all") => Err(ApiError::forbidden("Only administrators see everybody's.")),
            Some(_) => Err(ApiError::bad_field("scope", "must be self or all")),
        }
    }
}

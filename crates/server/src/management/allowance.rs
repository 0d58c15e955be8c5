//! Limits and budgets as they come in, the same for tokens, users and groups.

use billing::pricing::{nanos_of_quota, parse_dollars};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::frame::{ApiError, Patch};

/// The most that one gift, code or balance may be: a hundred million dollars. The house's own accounts hold forty
/// times that, and nobody gets anything any more once they are full.
pub const MOST_NANOS: i64 = 100_000_000_000_000_000;

/// A dollar amount on the interface: decimal text or a number.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DollarText(#[schemars(with = "String")] Value);

/// A limit; 0 is none, like `null`.
pub fn limit(field: &str, patch: Patch<i64>) -> Result<Patch<i64>, ApiError> {
    match patch {
        Patch::Set(0) => Ok(Patch::Clear),
        Patch::Set(below @ ..0) => {
            let problem = format!("must not be below zero, but is {below}");
            Err(ApiError::bad_field(field, &problem))
        }
        other => Ok(other),
    }
}

/// A budget in nano-dollars; the one in dollars counts where the one in quota units is absent.
pub fn budget(
    field: &str,
    quota: &Patch<i64>,
    dollars: Patch<DollarText>,
) -> Result<Patch<i64>, ApiError> {
    let dollars = match quota {
        Patch::Absent => dollars,
        Patch::Clear => return Ok(Patch::Clear),
        Patch::Set(quota) => {
            let nanos = nanos_of_quota(*quota).filter(|nanos| *nanos >= 0);
            let problem = "must be zero or more quota units";
            let nanos = nanos.ok_or_else(|| ApiError::bad_field(field, problem));
            return nanos.map(Patch::Set);
        }
    };
    match dollars {
        Patch::Absent => Ok(Patch::Absent),
        Patch::Clear => Ok(Patch::Clear),
        Patch::Set(text) => text.nanos(&format!("{field}_usd")).map(Patch::Set),
    }
}

impl DollarText {
    /// Nano-dollars, zero or more.
    pub fn nanos(&self, field: &str) -> Result<i64, ApiError> {
        let text = match &self.0 {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let nanos = parse_dollars(text.trim()).ok().filter(|nanos| *nanos >= 0);
        let problem = "must be an amount of dollars such as \"2.50\"";
        nanos.ok_or_else(|| ApiError::bad_field(field, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_in_quota_units_counts_before_one_in_dollars() {
        let dollars = |text: &str| Patch::Set(DollarText(Value::from(text)));
        let read = |quota, usd| budget("b", &quota, usd).unwrap();
        assert_eq!(
            read(Patch::Set(500_000), dollars("9")),
            Patch::Set(1_000_000_000)
        );
        assert_eq!(
            read(Patch::Absent, dollars("2.5")),
            Patch::Set(2_500_000_000)
        );
        assert_eq!(read(Patch::Clear, Patch::Absent), Patch::Clear);
        assert_eq!(read(Patch::Absent, Patch::Absent), Patch::Absent);
        assert!(budget("b", &Patch::Absent, dollars("-1")).is_err());
        assert!(budget("b", &Patch::Set(-1), Patch::Absent).is_err());
    }

    #[test]
    fn no_limit_is_zero_or_null() {
        assert_eq!(limit("rpm", Patch::Set(0)).unwrap(), Patch::Clear);
        assert_eq!(limit("rpm", Patch::Set(5)).unwrap(), Patch::Set(5));
        assert!(limit("rpm", Patch::Set(-5)).is_err());
    }
}

//! The factor that a group pays, in millionths.

use super::decimal::{self, DecimalError};

/// A factor on list prices: zero or more, with at most six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Multiplier(i64);

impl Multiplier {
    /// The list price.
    pub const ONE: Self = Self(1_000_000);

    /// So many millionths; none where that is below zero.
    pub fn of_millionths(millionths: i64) -> Option<Self> {
        (millionths >= 0).then_some(Self(millionths))
    }

    /// Reads decimal text such as `1.25`.
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let millionths = decimal::parse(text, 6)?;
        i64::try_from(millionths)
            .ok()
            .and_then(Self::of_millionths)
            .ok_or(DecimalError::OutOfRange)
    }

    /// In millionths.
    pub fn millionths(self) -> i64 {
        self.0
    }
}

impl std::fmt::Display for Multiplier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&decimal::format(i128::from(self.0), 6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplier_is_an_exact_decimal() {
        assert_eq!(Multiplier::parse("1"), Ok(Multiplier::ONE));
        assert_eq!(Multiplier::parse("0.333333").unwrap().millionths(), 333_333);
        assert_eq!(Multiplier::parse("1.25").unwrap().to_string(), "1.25");
        assert_eq!(
            Multiplier::parse("0.3333333"),
            Err(DecimalError::TooPrecise)
        );
        assert_eq!(Multiplier::parse("-1"), Err(DecimalError::OutOfRange));
    }
}

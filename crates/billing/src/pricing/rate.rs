//! The price of one unit, whatever the unit is.

use super::amount::Exact;
use super::decimal::{self, DecimalError};
use super::multiplier::Multiplier;

/// A price of zero or more: nano-dollars per million units, which is 10⁻¹⁵ dollar a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(i64);

impl Rate {
    /// So many nano-dollars per million units; none where that is below zero.
    pub fn of_nanos_per_million(nanos: i64) -> Option<Self> {
        (nanos >= 0).then_some(Self(nanos))
    }

    /// So many nano-dollars a unit; none where that is below zero or too large.
    pub fn of_nanos_per_unit(nanos: i64) -> Option<Self> {
        let per_million = nanos.checked_mul(1_000_000)?;
        Self::of_nanos_per_million(per_million)
    }

    /// Reads dollars per million units, the way token prices are written.
    pub fn parse_per_million(text: &str) -> Result<Self, DecimalError> {
        Self::parse(text, 9)
    }

    /// Reads dollars per unit, the way all other prices are written.
    pub fn parse_per_unit(text: &str) -> Result<Self, DecimalError> {
        Self::parse(text, 15)
    }

    fn parse(text: &str, scale: i32) -> Result<Self, DecimalError> {
        let nanos = decimal::parse(text, scale)?;
        i64::try_from(nanos)
            .ok()
            .and_then(Self::of_nanos_per_million)
            .ok_or(DecimalError::OutOfRange)
    }

    /// In nano-dollars per million units.
    pub fn nanos_per_million(self) -> i64 {
        self.0
    }

    /// In dollars per million units, as text.
    pub fn dollars_per_million(self) -> String {
        decimal::format(i128::from(self.0), 9)
    }

    /// In dollars per unit, as text.
    pub fn dollars_per_unit(self) -> String {
        decimal::format(i128::from(self.0), 15)
    }

    /// What one unit costs a group.
    pub(super) fn times(self, multiplier: Multiplier) -> Exact {
        // Two i64 factors: the product has at most 126 bits.
        let product = i128::from(self.0) * i128::from(multiplier.millionths());
        Exact::new(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_per_million_and_per_unit_are_one_scale() {
        let token = Rate::parse_per_million("2.5").unwrap();
        assert_eq!(token, Rate::parse_per_unit("0.0000025").unwrap());
        assert_eq!(token.nanos_per_million(), 2_500_000_000);
        assert_eq!(token.dollars_per_million(), "2.5");
        assert_eq!(token.dollars_per_unit(), "0.0000025");
    }

    #[test]
    fn a_price_is_never_negative_and_never_rounded() {
        assert_eq!(Rate::parse_per_million("-1"), Err(DecimalError::OutOfRange));
        assert_eq!(
            Rate::parse_per_million("0.0000000001"),
            Err(DecimalError::TooPrecise)
        );
        assert_eq!(Rate::parse_per_unit("9224"), Err(DecimalError::OutOfRange));
        assert_eq!(Rate::of_nanos_per_unit(9_224_000_000_000), None);
        assert_eq!(Rate::of_nanos_per_unit(-1), None);
    }
}

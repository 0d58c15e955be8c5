//! Amounts: nano-dollars as text and as quota units, and the finer amounts that charges are
//! computed in.

use std::fmt;

use super::PricingError;
use super::decimal::{self, DecimalError};

/// What one quota unit of the interface (1/500,000 dollar) is worth.
pub const NANOS_A_QUOTA_UNIT: i64 = 2_000;

/// Decimals of a nano-dollar amount.
const NANO_SCALE: usize = 9;
/// Decimals of an [`Exact`]: nine of a nano-dollar, six of a price per million, six of a
/// multiplier in millionths.
const EXACT_SCALE: usize = 21;
/// An [`Exact`] of this size is one nano-dollar.
const EXACT_A_NANO: i128 = 1_000_000_000_000;

/// Reads dollars as nano-dollars; more than nine decimals are refused.
pub fn parse_dollars(text: &str) -> Result<i64, DecimalError> {
    let nanos = decimal::parse(text, 9)?;
    i64::try_from(nanos).map_err(|_| DecimalError::OutOfRange)
}

/// Writes nano-dollars as dollars, exactly and without zeros at the end.
pub fn format_dollars(nanos: i64) -> String {
    decimal::format(i128::from(nanos), NANO_SCALE)
}

/// Whole quota units in an amount; what is less than one unit is not shown, so that nobody is
/// promised more than there is.
pub fn quota_of_nanos(nanos: i64) -> i64 {
    nanos.div_euclid(NANOS_A_QUOTA_UNIT)
}

/// The amount of so many quota units; none where that is out of range.
pub fn nanos_of_quota(quota: i64) -> Option<i64> {
    quota.checked_mul(NANOS_A_QUOTA_UNIT)
}

/// An exact amount of 10⁻²¹ dollar: fine enough for any units times any price times any
/// multiplier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exact(i128);

impl Exact {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many nano-dollars.
    pub fn of_nanos(nanos: i64) -> Self {
        // The largest i64 times 10¹² has 31 digits; an i128 holds 38.
        Self(i128::from(nanos) * EXACT_A_NANO)
    }

    pub(super) const fn new(value: i128) -> Self {
        Self(value)
    }

    pub(super) fn times(self, units: u64) -> Result<Self, PricingError> {
        let product = self.0.checked_mul(i128::from(units));
        product.map(Self).ok_or(PricingError::OutOfRange)
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, PricingError> {
        let sum = self.0.checked_add(other.0);
        sum.map(Self).ok_or(PricingError::OutOfRange)
    }

    pub(super) fn minus(self, other: Self) -> Result<Self, PricingError> {
        let difference = self.0.checked_sub(other.0);
        difference.map(Self).ok_or(PricingError::OutOfRange)
    }

    /// How many times `price` fits into this; as many as can be counted where it is free.
    pub(super) fn divided_by(self, price: Self) -> u64 {
        if price.0 <= 0 {
            return u64::MAX;
        }
        let times = self.0.div_euclid(price.0).max(0);
        u64::try_from(times).unwrap_or(u64::MAX)
    }

    /// Dollars, exactly.
    pub fn text(self) -> String {
        decimal::format(self.0, EXACT_SCALE)
    }

    /// Nano-dollars, rounded up.
    pub fn nanos_rounded_up(self) -> Result<i64, PricingError> {
        let whole = self.0.div_euclid(EXACT_A_NANO);
        let part = i128::from(self.0.rem_euclid(EXACT_A_NANO) > 0);
        i64::try_from(whole + part).map_err(|_| PricingError::OutOfRange)
    }
}

/// Dollars, exactly.
impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_and_written_exactly() {
        for (text, nanos) in [
            ("0", 0),
            ("100", 100_000_000_000),
            ("0.000000001", 1),
            ("-1.5", -1_500_000_000),
            ("9223372036.854775807", i64::MAX),
        ] {
            assert_eq!(parse_dollars(text), Ok(nanos));
            assert_eq!(format_dollars(nanos), text);
        }
        assert_eq!(
            parse_dollars("9223372036.854775808"),
            Err(DecimalError::OutOfRange)
        );
        assert_eq!(parse_dollars("0.0000000001"), Err(DecimalError::TooPrecise));
    }

    #[test]
    fn a_quota_unit_is_a_five_hundred_thousandth_of_a_dollar() {
        assert_eq!(nanos_of_quota(500_000), Some(1_000_000_000));
        assert_eq!(nanos_of_quota(i64::MAX), None);
        assert_eq!(quota_of_nanos(1_000_000_000), 500_000);
        assert_eq!(quota_of_nanos(1_999), 0);
        assert_eq!(quota_of_nanos(-1), -1);
    }

    #[test]
    fn rounding_goes_up_and_only_where_it_must() {
        assert_eq!(Exact::of_nanos(7).nanos_rounded_up(), Ok(7));
        assert_eq!(Exact::new(1).nanos_rounded_up(), Ok(1));
        assert_eq!(Exact::new(EXACT_A_NANO + 1).nanos_rounded_up(), Ok(2));
        assert_eq!(Exact::new(-1).nanos_rounded_up(), Ok(0));
        assert_eq!(
            Exact::new(i128::MAX).nanos_rounded_up(),
            Err(PricingError::OutOfRange)
        );
        assert_eq!(Exact::new(1).to_string(), "0.000000000000000000001");
    }
}

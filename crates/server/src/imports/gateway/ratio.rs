//! Ratios and quota: the units in which these gateways count, turned into ours exactly, or rounded up
//! where a ratio has more digits than a price can hold.

use serde_json::{Map, Value};

const NANOS_PER_DOLLAR: i128 = 1_000_000_000;
const MILLION: i128 = 1_000_000;
/// Digits of a ratio that count; what is cut off is rounded up.
const DIGITS: u32 = 11;
/// The most that a balance may be, in nano-dollars: a billion dollars.
const MOST_NANOS: i128 = 1_000_000_000 * NANOS_PER_DOLLAR;

/// How many units of quota a dollar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(i128);

impl Unit {
    /// What both gateways begin with.
    pub const USUAL: Self = Self(500_000);

    /// What somebody set; none where that is no whole number above zero.
    pub fn parse(text: &str) -> Option<Self> {
        let ratio = Ratio::parse(text)?;
        let units = ratio
            .digits
            .checked_div(10_i128.checked_pow(ratio.decimals)?)?;
        (units > 0 && units < NANOS_PER_DOLLAR * 1_000).then_some(Self(units))
    }

    /// An amount of quota in nano-dollars; none where it is beyond all bounds. What is below zero
    /// stays so.
    pub fn nanos(self, quota: i64) -> Option<i64> {
        let nanos = i128::from(quota) * NANOS_PER_DOLLAR / self.0;
        (nanos.abs() <= MOST_NANOS)
            .then(|| i64::try_from(nanos).ok())
            .flatten()
    }

    /// The price of a million tokens in nano-dollars, where one token costs a product of ratios.
    pub fn price(self, ratios: &[Ratio]) -> Option<i64> {
        let (mut digits, mut decimals) = (1_i128, 0_u32);
        for ratio in ratios {
            digits = digits.checked_mul(ratio.digits)?;
            decimals += ratio.decimals;
        }
        let dividend = digits.checked_mul(MILLION * NANOS_PER_DOLLAR)?;
        let divisor = self.0.checked_mul(10_i128.checked_pow(decimals)?)?;
        i64::try_from(rounded_up(dividend, divisor)).ok()
    }
}

/// A number at or above zero, as digits and how many of them are decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    digits: i128,
    decimals: u32,
}

impl Ratio {
    /// One.
    #[cfg(test)]
    pub const ONE: Self = Self {
        digits: 1,
        decimals: 0,
    };

    /// Reads a number as JSON writes it; none where it is below zero or absurd.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits: i128 = 0;
        if whole.is_empty() || whole.len() + fraction.len() > 36 {
            return None;
        }
        for digit in whole.chars().chain(fraction.chars()) {
            digits = digits * 10 + i128::from(digit.to_digit(10)?);
        }
        let mut decimals = i32::try_from(fraction.len()).ok()? - exponent;
        while digits >= 10_i128.pow(DIGITS) && decimals > 0 {
            digits = rounded_up(digits, 10);
            decimals -= 1;
        }
        if decimals < 0 {
            digits = digits.checked_mul(10_i128.checked_pow(decimals.unsigned_abs())?)?;
            decimals = 0;
        }
        let is_sane = decimals <= 20 && digits < 10_i128.pow(15);
        is_sane.then_some(Self {
            digits,
            decimals: decimals.unsigned_abs(),
        })
    }

    /// In millionths, rounded up.
    pub fn millionths(self) -> Option<i64> {
        let divisor = 10_i128.checked_pow(self.decimals)?;
        i64::try_from(rounded_up(self.digits * MILLION, divisor)).ok()
    }

    /// Dollars in nano-dollars, rounded up.
    pub fn dollars_in_nanos(self) -> Option<i64> {
        let divisor = 10_i128.checked_pow(self.decimals)?;
        i64::try_from(rounded_up(self.digits * NANOS_PER_DOLLAR, divisor)).ok()
    }
}

fn rounded_up(dividend: i128, divisor: i128) -> i128 {
    dividend / divisor + i128::from(dividend % divisor != 0)
}

/// The ratio of a name in an object of ratios.
pub fn of(object: &Map<String, Value>, name: &str) -> Option<Ratio> {
    match object.get(name)? {
        Value::Number(number) => Ratio::parse(&number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        Ratio::parse(text).unwrap()
    }

    #[test]
    fn ratios_become_prices_exactly() {
        let unit = Unit::USUAL;
        // A ratio of one is two dollars for a million tokens.
        assert_eq!(unit.price(&[Ratio::ONE]), Some(2_000_000_000));
        assert_eq!(unit.price(&[ratio("1.25")]), Some(2_500_000_000));
        assert_eq!(unit.price(&[ratio("0.075"), ratio("4")]), Some(600_000_000));
        assert_eq!(unit.price(&[ratio("1e-3")]), Some(2_000_000));
        assert_eq!(
            unit.price(&[ratio("0.8572142857142857"), ratio("1.3333333333333333")]),
            Some(2_285_904_763)
        );
        assert_eq!(
            Unit::parse("1000000").unwrap().price(&[Ratio::ONE]),
            Some(1_000_000_000)
        );
    }

    #[test]
    fn quota_becomes_nano_dollars() {
        assert_eq!(Unit::USUAL.nanos(500_000), Some(1_000_000_000));
        assert_eq!(Unit::USUAL.nanos(-1), Some(-2_000));
        assert_eq!(Unit::USUAL.nanos(i64::MAX), None);
        assert_eq!(ratio("0.8").millionths(), Some(800_000));
        assert_eq!(ratio("0.04").dollars_in_nanos(), Some(40_000_000));
        for text in ["-1", "", "x", "1e400", "1e99", "NaN"] {
            assert_eq!(Ratio::parse(text), None, "{text}");
        }
    }
}

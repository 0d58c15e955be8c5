//! By how many percent a price changes.

use super::decimal;

/// Finer than any price is written.
const PRICE_SCALE: i32 = 15;

/// From one price to another of the same unit in percent, with two decimals, as text. None where one
/// is no decimal number or the first is nothing, of which there is no percentage.
pub fn percent_between(from: &str, to: &str) -> Option<String> {
    let from = decimal::parse(from, PRICE_SCALE).ok()?;
    let to = decimal::parse(to, PRICE_SCALE).ok()?;
    if from <= 0 {
        return None;
    }
    // Half of the divisor is added first, away from zero: that rounds.
    let scaled = to.checked_sub(from)?.checked_mul(10_000)?;
    let rounded = scaled.checked_add(scaled.signum() * from / 2)? / from;
    Some(decimal::format(rounded, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_said_in_percent_with_two_decimals() {
        for (from, to, percent) in [
            ("2.5", "5", "100"),
            ("3", "2", "-33.33"),
            ("3", "5", "66.67"),
            ("0.0000000025", "0.00000000251", "0.4"),
            ("9000000000", "4500000000", "-50"),
            ("1", "0", "-100"),
        ] {
            assert_eq!(percent_between(from, to).as_deref(), Some(percent));
        }
        for (from, to) in [("0", "1"), ("much", "1"), ("1", "more")] {
            assert_eq!(percent_between(from, to), None);
        }
    }
}

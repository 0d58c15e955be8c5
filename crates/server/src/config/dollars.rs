//! Dollar amounts in the configuration: decimal text, read exactly into integer nano-dollars.
//! Floating point never comes near them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

const NANOS_PER_DOLLAR: i64 = 1_000_000_000;

/// An amount of nano-dollars, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(i64);

/// Why a text is not an amount.
#[derive(Debug, thiserror::Error)]
#[error("expected a dollar amount as decimal text like \"0.25\", at most nine decimal places")]
pub struct NotDollars;

impl Dollars {
    /// A whole number of dollars.
    pub const fn whole(dollars: u32) -> Self {
        Self(dollars as i64 * NANOS_PER_DOLLAR)
    }

    /// The least that there is above nothing.
    pub const LEAST: Self = Self(1);

    /// The amount in nano-dollars.
    pub const fn nanos(self) -> i64 {
        self.0
    }
}

impl FromStr for Dollars {
    type Err = NotDollars;

    fn from_str(text: &str) -> Result<Self, NotDollars> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
            return Err(NotDollars);
        }
        let whole: i64 = whole.parse().map_err(|_| NotDollars)?;
        let fraction: i64 = format!("{fraction:0<9}").parse().map_err(|_| NotDollars)?;
        whole
            .checked_mul(NANOS_PER_DOLLAR)
            .and_then(|nanos| nanos.checked_add(fraction))
            .map(Self)
            .ok_or(NotDollars)
    }
}

impl fmt::Display for Dollars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!(
            "{}.{:09}",
            self.0 / NANOS_PER_DOLLAR,
            self.0 % NANOS_PER_DOLLAR
        );
        formatter.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer).map_err(|_| de::Error::custom(NotDollars))?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_text_is_read_exactly_and_written_back() {
        for (text, nanos) in [
            ("0", 0),
            ("0.10", 100_000_000),
            ("100", 100_000_000_000),
            ("0.000000001", 1),
            ("9223372036.854775807", i64::MAX),
        ] {
            assert_eq!(text.parse::<Dollars>().unwrap().nanos(), nanos, "{text}");
        }
        assert_eq!("2.500".parse::<Dollars>().unwrap().to_string(), "2.5");
        assert_eq!(Dollars::whole(100).to_string(), "100");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            ".",
            "-1",
            "+1",
            "1.",
            ".5",
            "1e3",
            "0.0000000001",
            "9223372036.854775808",
            " 1",
        ] {
            assert!(text.parse::<Dollars>().is_err(), "{text:?}");
        }
    }
}

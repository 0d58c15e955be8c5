//! Decimal text to scaled integers and back, exactly. Digits that the scale cannot hold are an
//! error, never rounded.

/// Why a text is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// It is not a decimal number.
    #[error("is not a decimal number")]
    NotADecimal,
    /// It has more decimals than can be kept.
    #[error("has more decimals than can be kept exactly")]
    TooPrecise,
    /// It is too large.
    #[error("is too large")]
    OutOfRange,
}

/// Reads `text` times ten to the power of `scale`. Takes a sign, one point and an exponent.
pub(super) fn parse(text: &str, scale: i32) -> Result<i128, DecimalError> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (text, 0),
    };
    let (is_negative, unsigned) = match mantissa.as_bytes().first() {
        Some(b'-') => (true, &mantissa[1..]),
        Some(b'+') => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(DecimalError::NotADecimal);
    }
    let mut digits: i128 = 0;
    for byte in whole.bytes().chain(fraction.bytes()) {
        if !byte.is_ascii_digit() {
            return Err(DecimalError::NotADecimal);
        }
        digits = digits
            .checked_mul(10)
            .and_then(|shifted| shifted.checked_add(i128::from(byte - b'0')))
            .ok_or(DecimalError::OutOfRange)?;
    }
    let decimals = i32::try_from(fraction.len()).map_err(|_| DecimalError::TooPrecise)?;
    let value = shift(digits, scale + exponent - decimals)?;
    Ok(if is_negative { -value } else { value })
}

fn parse_exponent(text: &str) -> Result<i32, DecimalError> {
    let exponent: i32 = text.parse().map_err(|_| DecimalError::NotADecimal)?;
    if exponent.abs() > 1_000 {
        return Err(DecimalError::OutOfRange);
    }
    Ok(exponent)
}

fn shift(mut digits: i128, places: i32) -> Result<i128, DecimalError> {
    if digits == 0 {
        return Ok(0);
    }
    for _ in 0..places {
        digits = digits.checked_mul(10).ok_or(DecimalError::OutOfRange)?;
    }
    for _ in places..0 {
        if digits % 10 != 0 {
            return Err(DecimalError::TooPrecise);
        }
        digits /= 10;
    }
    Ok(digits)
}

/// As many as the largest scale can take.
const ZEROS: &str = "000000000000000000000000";

/// Writes `value` divided by ten to the power of `scale`, without an exponent and without zeros
/// at the end. By hand: every line of every charge is written so.
pub(super) fn format(value: i128, scale: usize) -> String {
    let mut buffer = itoa::Buffer::new();
    let unsigned = value.unsigned_abs();
    // Numbers of twice the processor's width are written by slow divisions, and nearly none is so long.
    let digits = match u64::try_from(unsigned) {
        Ok(short) => buffer.format(short),
        Err(_) => buffer.format(unsigned),
    };
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(scale));
    let zeros = scale - fraction.len();
    let length = fraction.bytes().rposition(|digit| digit != b'0');
    let fraction = &fraction[..length.map_or(0, |last| last + 1)];
    let mut text = String::with_capacity(digits.len() + scale + 2);
    text.push_str(if value < 0 { "-" } else { "" });
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(&ZEROS[..zeros]);
        text.push_str(fraction);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, expected) in [
            ("0", 0),
            ("0.000", 0),
            ("1", 1_000_000_000),
            ("0.15", 150_000_000),
            (".5", 500_000_000),
            ("2.", 2_000_000_000),
            ("-0.000000001", -1),
            ("+3", 3_000_000_000),
            ("1.2500000000000", 1_250_000_000),
            ("7.5e-08", 75),
            ("1E2", 100_000_000_000),
        ] {
            assert_eq!(parse(text, 9), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_exact_decimal_is_refused() {
        for (text, expected) in [
            ("", DecimalError::NotADecimal),
            (".", DecimalError::NotADecimal),
            ("-", DecimalError::NotADecimal),
            ("1,5", DecimalError::NotADecimal),
            ("1.2.3", DecimalError::NotADecimal),
            ("--1", DecimalError::NotADecimal),
            ("NaN", DecimalError::NotADecimal),
            ("1e", DecimalError::NotADecimal),
            ("٣", DecimalError::NotADecimal),
            ("0.0000000001", DecimalError::TooPrecise),
            ("1e999", DecimalError::OutOfRange),
            ("1e99999", DecimalError::OutOfRange),
        ] {
            assert_eq!(parse(text, 9), Err(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value: i64, scale in 0..22usize) {
            let text = format(i128::from(value), scale);
            let places = i32::try_from(scale).expect("below 22");
            prop_assert_eq!(parse(&text, places), Ok(i128::from(value)));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[-+0-9.eE]{0,40}") {
            let _ = parse(&text, 21);
        }
    }
}

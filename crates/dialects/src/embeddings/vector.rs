//! One vector, as a list of numbers or as little-endian 32-bit floats in base64. A vector that is
//! already written as the client wants it keeps every digit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::Encoding;
use crate::canonical::Failure;
use crate::json;

/// One vector.
#[derive(Debug, Clone)]
pub enum Vector<'a> {
    /// A list of numbers, as JSON text.
    List(&'a RawValue),
    /// Base64, as JSON text.
    Base64(&'a RawValue),
    /// Numbers of our own making.
    Numbers(Vec<f32>),
}

impl<'a> Vector<'a> {
    /// Takes a vector as a vendor wrote it.
    pub fn read(raw: &'a RawValue) -> Result<Self, Failure> {
        match raw.get().as_bytes().first() {
            Some(b'[') => Ok(Self::List(raw)),
            Some(b'"') => Ok(Self::Base64(raw)),
            _ => Err(broken()),
        }
    }

    /// Whether it is written like this already.
    pub fn is(&self, encoding: Encoding) -> bool {
        match self {
            Self::List(_) => encoding == Encoding::Float,
            Self::Base64(_) => encoding == Encoding::Base64,
            Self::Numbers(_) => false,
        }
    }

    /// Writes it for the client.
    pub fn write(&self, encoding: Encoding, out: &mut Vec<u8>) -> Result<(), Failure> {
        match (self, encoding) {
            (Self::List(raw), Encoding::Float) | (Self::Base64(raw), Encoding::Base64) => {
                out.extend_from_slice(raw.get().as_bytes());
            }
            (_, Encoding::Float) => write_list(&self.numbers()?, out),
            (_, Encoding::Base64) => {
                let numbers = self.numbers()?;
                let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
                json::write_str(out, &STANDARD.encode(bytes));
            }
        }
        Ok(())
    }

    /// Its numbers, all of them finite.
    pub fn numbers(&self) -> Result<Vec<f32>, Failure> {
        let numbers = match self {
            Self::List(raw) => read_list(raw),
            Self::Base64(raw) => read_base64(raw),
            Self::Numbers(numbers) => Some(numbers.clone()),
        };
        let is_whole = |numbers: &Vec<f32>| numbers.iter().all(|number| number.is_finite());
        numbers.filter(is_whole).ok_or_else(broken)
    }

    /// Its length.
    pub fn dimensions(&self) -> Result<usize, Failure> {
        match self {
            Self::List(raw) => Ok(elements(raw).count()),
            Self::Base64(_) => self.numbers().map(|numbers| numbers.len()),
            Self::Numbers(numbers) => Ok(numbers.len()),
        }
    }

    /// The same direction, of length one. A vector of zeros has no direction and stays.
    pub fn normalised(&self) -> Result<Self, Failure> {
        let mut numbers = self.numbers()?;
        let square: f64 = numbers.iter().map(|it| f64::from(*it).powi(2)).sum();
        let length = square.sqrt();
        if length > 0.0 {
            for number in &mut numbers {
                *number = narrow(f64::from(*number) / length);
            }
        }
        Ok(Self::Numbers(numbers))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "vectors have 32-bit numbers; the value is at most one"
)]
fn narrow(number: f64) -> f32 {
    number as f32
}

/// The elements of a list, as text.
fn elements(raw: &RawValue) -> impl Iterator<Item = &str> {
    let inner = raw.get().strip_prefix('[').unwrap_or_default();
    let inner = inner.strip_suffix(']').unwrap_or_default();
    let inner = if inner.trim().is_empty() {
        None
    } else {
        Some(inner)
    };
    inner
        .into_iter()
        .flat_map(|inner| inner.split(','))
        .map(str::trim)
}

/// Parsed to 32 bits at once: a detour over 64 bits would round twice.
fn read_list(raw: &RawValue) -> Option<Vec<f32>> {
    elements(raw).map(|number| number.parse().ok()).collect()
}

fn read_base64(raw: &RawValue) -> Option<Vec<f32>> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    let bytes = STANDARD.decode(text).ok()?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty()
        .then(|| numbers.iter().map(|it| f32::from_le_bytes(*it)).collect())
}

fn write_list(numbers: &[f32], out: &mut Vec<u8>) {
    serde_json::to_writer(out, numbers).expect("writing numbers to memory cannot fail");
}

fn broken() -> Failure {
    Failure::upstream("The upstream answered with a vector that cannot be read.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spoil::Dice;

    fn convert(text: &str, encoding: Encoding) -> Result<String, Failure> {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        let mut out = Vec::new();
        Vector::read(raw)?.write(encoding, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn known_vectors_are_written_both_ways() {
        for (list, base64) in [
            ("[0.5,-0.25,1.0]", "\"AAAAPwAAgL4AAIA/\""),
            ("[0.0,1.0,-1.0,3.1415927]", "\"AAAAAAAAgD8AAIC/2w9JQA==\""),
        ] {
            assert_eq!(convert(list, Encoding::Base64).unwrap(), base64);
            assert_eq!(convert(base64, Encoding::Float).unwrap(), list);
        }
    }

    #[test]
    fn a_vector_in_the_right_form_keeps_every_digit() {
        let list = "[ 0.12345678901234567890, 1E-3 ]";
        assert_eq!(convert(list, Encoding::Float).unwrap(), list);
    }

    #[test]
    fn every_finite_float_survives_both_ways() {
        let mut dice = Dice(0xf10a7);
        for _ in 0..20_000 {
            let bits = u32::try_from(dice.throw(1 << 32)).unwrap();
            let number = f32::from_bits(bits);
            if !number.is_finite() {
                continue;
            }
            let base64 = format!("\"{}\"", STANDARD.encode(number.to_le_bytes()));
            let list = convert(&base64, Encoding::Float).unwrap();
            assert_eq!(convert(&list, Encoding::Base64).unwrap(), base64, "{list}");
        }
    }

    #[test]
    fn what_is_not_finite_or_not_a_number_is_never_emitted() {
        let nan = format!("\"{}\"", STANDARD.encode(f32::NAN.to_le_bytes()));
        let endless = format!("\"{}\"", STANDARD.encode(f32::INFINITY.to_le_bytes()));
        for text in [&nan, &endless, "\"AAA\"", "\"AAAA\"", "7", "{}"] {
            assert!(convert(text, Encoding::Float).is_err(), "{text}");
        }
        for text in ["[1e99]", "[null]", "[\"1\"]", "[[1]]", "[1,{}]"] {
            assert!(convert(text, Encoding::Base64).is_err(), "{text}");
        }
    }

    #[test]
    fn a_shortened_vector_gets_length_one() {
        let raw: &RawValue = serde_json::from_str("[3,4]").unwrap();
        let vector = Vector::read(raw).unwrap().normalised().unwrap();
        assert_eq!(vector.numbers().unwrap(), [0.6, 0.8]);
        assert_eq!(vector.dimensions(), Ok(2));
        let raw: &RawValue = serde_json::from_str("[0,0]").unwrap();
        let vector = Vector::read(raw).unwrap().normalised().unwrap();
        assert_eq!(vector.numbers().unwrap(), [0.0, 0.0]);
    }
}

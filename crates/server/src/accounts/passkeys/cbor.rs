//! As much of CBOR (RFC 8949) as authenticators write: definite lengths, no floats, no tags. Anything
//! else, and anything nested deeper than any authenticator does, is refused.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cbor {
    /// A whole number.
    Integer(i64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Cbor>),
    /// Pairs, in the order that they were written in.
    Map(Vec<(Cbor, Cbor)>),
    /// True, false or null.
    Simple(u8),
}

const DEEPEST: usize = 8;

impl Cbor {
    /// Reads one value and gives what follows it.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        read(bytes, DEEPEST)
    }

    /// The value under a text key.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.get(|key| matches!(key, Self::Text(text) if text == name))
    }

    /// The value under a number.
    pub(super) fn number(&self, number: i64) -> Option<&Self> {
        self.get(|key| *key == Self::Integer(number))
    }

    /// The bytes, where it is bytes.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn get(&self, is_it: impl Fn(&Self) -> bool) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs
                .iter()
                .find(|(key, _)| is_it(key))
                .map(|(_, value)| value),
            _ => None,
        }
    }
}

fn read(bytes: &[u8], depth: usize) -> Option<(Cbor, &[u8])> {
    let depth = depth.checked_sub(1)?;
    let (first, rest) = bytes.split_first()?;
    let (major, short) = (first >> 5, first & 0x1f);
    if major == 7 {
        return (20..=22)
            .contains(&short)
            .then_some((Cbor::Simple(short), rest));
    }
    let (count, rest) = argument(short, rest)?;
    match major {
        0 => Some((Cbor::Integer(i64::try_from(count).ok()?), rest)),
        1 => Some((Cbor::Integer(-1 - i64::try_from(count).ok()?), rest)),
        2 | 3 => {
            let (piece, rest) = rest.split_at_checked(usize::try_from(count).ok()?)?;
            let value = if major == 2 {
                Cbor::Bytes(piece.to_vec())
            } else {
                Cbor::Text(String::from_utf8(piece.to_vec()).ok()?)
            };
            Some((value, rest))
        }
        4 => {
            let mut items = Vec::new();
            let mut rest = rest;
            for _ in 0..count {
                let (item, after) = read(rest, depth)?;
                items.push(item);
                rest = after;
            }
            Some((Cbor::List(items), rest))
        }
        5 => {
            let mut pairs = Vec::new();
            let mut rest = rest;
            for _ in 0..count {
                let (key, after) = read(rest, depth)?;
                let (value, after) = read(after, depth)?;
                pairs.push((key, value));
                rest = after;
            }
            Some((Cbor::Map(pairs), rest))
        }
        _ => None,
    }
}

/// The number in or after the first byte. A count that lies about its size ends when the bytes do.
fn argument(short: u8, rest: &[u8]) -> Option<(u64, &[u8])> {
    let width = match short {
        0..=23 => return Some((u64::from(short), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    let (bytes, rest) = rest.split_at_checked(width)?;
    let number = bytes
        .iter()
        .fold(0, |number, byte| (number << 8) | u64::from(*byte));
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_authenticators_write_is_read() {
        let bytes = [
            0xa3, 0x01, 0x26, 0x63, b'f', b'm', b't', 0x41, 0xff, 0x20, 0x82, 0xf5, 0x18, 100,
        ];
        let (value, rest) = Cbor::read(&bytes).unwrap();
        assert_eq!(rest, &[] as &[u8]);
        assert_eq!(value.number(1), Some(&Cbor::Integer(-7)));
        assert_eq!(
            value.field("fmt").and_then(Cbor::bytes),
            Some(&[0xff_u8][..])
        );
        let list = Cbor::List(vec![Cbor::Simple(21), Cbor::Integer(100)]);
        assert_eq!(value.number(-1), Some(&list));
    }

    #[test]
    fn what_is_cut_deep_or_strange_is_refused() {
        let deep = [0x81; 100];
        for bytes in [
            &[][..],
            &[0x42, 1],
            &[0x9b, 255, 255, 255, 255, 255, 255, 255, 255],
            &deep,
            &[0x5f],
            &[0xc0, 0],
            &[0xf9, 0, 0],
            &[0x61, 0xff],
            &[0x1b, 255, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(Cbor::read(bytes), None, "{bytes:x?}");
        }
    }
}

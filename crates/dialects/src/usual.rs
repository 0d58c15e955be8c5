//! Names that an object's members usually have, in the order in which they usually stand. Where a text
//! holds to it, comparing with the next name takes the place of looking for the name's end and of
//! finding out which one it is.

#![expect(
    clippy::inline_always,
    reason = "comparing takes fewer instructions than a call of a function"
)]

/// So much of a text is compared.
const LONGEST: usize = 32;

/// A member, and how a text goes on that stands at its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usual<T> {
    name: &'static str,
    /// What it is to the reader.
    pub(crate) what: T,
    /// The name in quotes and the colon after it.
    spelled: Halves,
    /// Set where something is spelled.
    mask: Halves,
    /// How many bytes are spelled.
    pub(crate) length: usize,
}

/// Numbers rather than bytes, since a few vector instructions compare them.
type Halves = [u128; 2];

impl<T: Copy> Usual<T> {
    /// These members. Nothing in their names has to be escaped.
    pub(crate) const fn all<const N: usize>(members: [(&'static str, T); N]) -> [Self; N] {
        let mut all = [Self::new(members[0]); N];
        let mut index = 1;
        while index < N {
            all[index] = Self::new(members[index]);
            index += 1;
        }
        all
    }

    const fn new((name, what): (&'static str, T)) -> Self {
        let length = name.len() + 3;
        let (mut spelled, mut mask) = ([0; LONGEST], [0; LONGEST]);
        let mut index = 0;
        while index < length {
            spelled[index] = match length - index {
                1 => b':',
                2 => b'"',
                _ if index == 0 => b'"',
                _ => name.as_bytes()[index - 1],
            };
            mask[index] = u8::MAX;
            index += 1;
        }
        Self {
            name,
            what,
            spelled: halves(&spelled),
            mask: halves(&mask),
            length,
        }
    }

    /// Whether a text begins with it. One that is about to end may do so without being seen to.
    #[inline(always)]
    pub(crate) fn begins(&self, text: &[u8]) -> bool {
        let Some(text) = text.first_chunk() else {
            return false;
        };
        let [first, second] = halves(text);
        let [first_spelled, second_spelled] = self.spelled;
        let [first_mask, second_mask] = self.mask;
        let other =
            ((first & first_mask) ^ first_spelled) | ((second & second_mask) ^ second_spelled);
        // As a whole it would be taken apart again and compared in steps.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the other half is looked at as well"
        )]
        let (low, high) = (other as u64, (other >> 64) as u64);
        low | high == 0
    }

    /// Where the member of this name is among these.
    pub(crate) fn place(all: &[Self], name: &[u8]) -> Option<usize> {
        all.iter().position(|usual| usual.name.as_bytes() == name)
    }
}

#[inline(always)]
const fn halves(bytes: &[u8; LONGEST]) -> Halves {
    let (halves, _) = bytes.as_chunks();
    [
        u128::from_le_bytes(halves[0]),
        u128::from_le_bytes(halves[1]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_seen_as_it_is_spelled_and_not_otherwise() {
        let names = [
            "id",
            "usage",
            "thirteen_long",
            "fourteen__long",
            "twenty_nine_bytes_is_the_most",
        ];
        for usual in Usual::all(names.map(|name| (name, ()))) {
            let text = format!("\"{}\":1", usual.name);
            assert_eq!(usual.length, text.len() - 1);
            let padded = format!("{text}{}", " ".repeat(LONGEST));
            assert!(usual.begins(padded.as_bytes()));
            for place in 0..usual.length {
                let mut spoiled = padded.clone().into_bytes();
                spoiled[place] ^= 1;
                assert!(!usual.begins(&spoiled), "{place} of {text}");
            }
        }
    }

    #[test]
    fn a_text_that_is_about_to_end_is_left_to_others() {
        let [usual] = Usual::all([("id", ())]);
        assert!(!usual.begins(br#""id":1"#));
        assert!(!usual.begins(b""));
    }
}

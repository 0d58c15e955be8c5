//! Backup codes: ten codes of fifty random bits, each good for one login. The keyed hash of one can be
//! looked up, so a guess costs no more than a lookup.

use store::UserId;

use crate::randomness::Randomness;
use crate::secrets::{KeyRing, hash_token};

/// How many a user has.
pub const BACKUP_CODES: usize = 10;

const PURPOSE: &str = "backup code";
const CHARACTERS: usize = 10;
/// Crockford's base 32: without letters that look like digits.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// New codes, as they are shown: `XXXXX-XXXXX`.
pub fn new_backup_codes(randomness: &dyn Randomness) -> Vec<String> {
    let code = |_| {
        let mut bytes = [0; CHARACTERS];
        randomness.fill(&mut bytes);
        // 32 divides 256: every letter is equally likely.
        let letters = bytes.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        let (first, second) = letters.split_at(CHARACTERS / 2);
        format!("{}-{}", String::from_iter(first), String::from_iter(second))
    };
    (0..BACKUP_CODES).map(code).collect()
}

/// The code without what people add or mistake; none where it cannot be one.
pub fn normal_backup_code(text: &str) -> Option<String> {
    let letters = text
        .chars()
        .filter(|letter| !matches!(letter, '-' | ' '))
        .map(|letter| match letter.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            letter => letter,
        });
    let code: String = letters.take(CHARACTERS + 1).collect();
    let is_one = code.len() == CHARACTERS && code.bytes().all(|byte| ALPHABET.contains(&byte));
    is_one.then_some(code)
}

/// What is stored of a code, which must be in its normal form.
pub fn hash_backup_code(keys: &KeyRing, user: UserId, code: &str) -> Vec<u8> {
    hash_token(keys, PURPOSE, &format!("{user}:{code}")).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[test]
    fn codes_are_ten_and_readable() {
        let codes = new_backup_codes(&SystemRandomness);
        assert_eq!(codes.len(), 10);
        for code in &codes {
            assert_eq!((code.len(), &code[5..6]), (11, "-"));
            let lower = code.to_lowercase().replace('-', " ");
            assert_eq!(normal_backup_code(&lower), Some(code.replace('-', "")));
        }
    }

    #[test]
    fn what_people_mistake_is_mended() {
        assert_eq!(
            normal_backup_code("oil00-abcde").as_deref(),
            Some("01100ABCDE")
        );
        for text in [
            "",
            "123456",
            "0123456789A",
            "UUUUU-UUUUU",
            "０１２３４-56789",
        ] {
            assert_eq!(normal_backup_code(text), None, "{text}");
        }
    }
}

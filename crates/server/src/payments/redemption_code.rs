//! Redemption codes as people type them, and the keyed hash under which they are stored.

use crate::randomness::Randomness;
use crate::secrets::{KeyRing, TokenHash, hash_token};

/// Without letters that are taken for digits, or for each other.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS: usize = 5;
const GROUP: usize = 4;
const PURPOSE: &str = "redemption code";

/// A new code: five groups of four, a hundred bits.
pub fn new_redemption_code(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; GROUPS * GROUP];
    randomness.fill(&mut bytes);
    let mut code = String::with_capacity(GROUPS * (GROUP + 1));
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 && index % GROUP == 0 {
            code.push('-');
        }
        code.push(char::from(ALPHABET[usize::from(byte % 32)]));
    }
    code
}

/// The stored form of a code, however it is typed: letters of either case, dashes and spaces or
/// none, `O` for `0`, `I` and `L` for `1`.
pub fn hash_redemption_code(keys: &KeyRing, code: &str) -> TokenHash {
    let typed = code.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = typed
        .map(|letter| match letter.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        })
        .collect();
    hash_token(keys, PURPOSE, &plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SeededRandomness;

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let randomness = SeededRandomness::new(1);
        let keys = KeyRing::generate(&randomness);
        let code = new_redemption_code(&randomness);
        assert_eq!((code.len(), code.matches('-').count()), (24, 4));
        let hash = hash_redemption_code(&keys, &code);
        let sloppy = code.to_lowercase().replace('-', " ").replace('0', "o");
        assert_eq!(hash_redemption_code(&keys, &sloppy.replace('1', "l")), hash);
        assert_ne!(
            hash_redemption_code(&keys, &new_redemption_code(&randomness)),
            hash
        );
    }
}

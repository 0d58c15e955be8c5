//! Time-based one-time passwords (RFC 6238 with SHA-1, six digits, thirty seconds: what every
//! authenticator app understands), and the address from which an app is set up. Which steps were
//! used is the records' business.

use std::fmt::Write as _;

use ring::hmac;
use subtle::ConstantTimeEq as _;

use crate::randomness::Randomness;

/// Bytes of a secret.
pub const SECRET_BYTES: usize = 20;

const STEP_S: i64 = 30;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A new secret.
pub fn new_totp_secret(randomness: &dyn Randomness) -> [u8; SECRET_BYTES] {
    let mut secret = [0; SECRET_BYTES];
    randomness.fill(&mut secret);
    secret
}

/// The step whose code this is: the present one, or one either side. All are compared, so that the
/// time tells nothing.
pub fn step_of_code(secret: &[u8], code: &str, now_ms: i64) -> Option<i64> {
    let present = now_ms.div_euclid(1000).div_euclid(STEP_S);
    let mut found = None;
    for step in [present - 1, present, present + 1] {
        if bool::from(code.as_bytes().ct_eq(code_at(secret, step).as_bytes())) {
            found = Some(step);
        }
    }
    found
}

/// The code of a step.
pub fn code_at(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let hash = tag.as_ref();
    let offset = usize::from(hash[19] & 0x0f);
    let word = [
        hash[offset] & 0x7f,
        hash[offset + 1],
        hash[offset + 2],
        hash[offset + 3],
    ];
    format!("{:06}", u32::from_be_bytes(word) % 1_000_000)
}

/// The secret as people type it.
pub fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(letter(buffer >> bits));
        }
    }
    if bits > 0 {
        text.push(letter(buffer << (5 - bits)));
    }
    text
}

fn letter(value: u32) -> char {
    char::from(BASE32[(value & 31) as usize])
}

/// The address that an authenticator app reads from the QR code.
pub fn otpauth_uri(issuer: &str, account: &str, secret: &[u8]) -> String {
    let (issuer, account) = (escape(issuer), escape(account));
    let secret = base32(secret);
    format!(
        "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6\
         &period=30"
    )
}

/// Percent-encodes everything but letters, digits and `-._~`. A colon would end the issuer, and is
/// forbidden even when escaped.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes().filter(|byte| *byte != b':') {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: &[u8] = b"12345678901234567890";

    fn own() -> Vec<u8> {
        (1..=20).collect()
    }

    #[test]
    fn codes_are_those_of_the_specification() {
        let counted = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
            "399871", "520489",
        ];
        for (step, code) in (0..).zip(counted) {
            assert_eq!(code_at(RFC, step), code);
        }
        for (unix, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_at(RFC, unix / 30), code);
        }
    }

    #[test]
    fn one_step_either_side_is_accepted_and_no_more() {
        let now_ms = 1_760_000_000_000;
        let step = |code| step_of_code(&own(), code, now_ms);
        assert_eq!(step("005381"), Some(58_666_665));
        assert_eq!(step("724304"), Some(58_666_666));
        assert_eq!(step("970526"), Some(58_666_667));
        for code in ["955759", "5381", "72430", "7243040", "", "７２４３０４"] {
            assert_eq!(step(code), None, "{code}");
        }
    }

    #[test]
    fn secrets_are_written_in_base32() {
        assert_eq!(base32(RFC), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(base32(&own()), "AEBAGBAFAYDQQCIKBMGA2DQPCAIREEYU");
        assert_eq!(base32(b"f"), "MY");
    }

    #[test]
    fn the_address_of_an_app_is_escaped() {
        assert_eq!(
            otpauth_uri("My Gateway", "ann@example.org", &own()),
            "otpauth://totp/My%20Gateway:ann%40example.org\
             ?secret=AEBAGBAFAYDQQCIKBMGA2DQPCAIREEYU&issuer=My%20Gateway&algorithm=SHA1&digits=6\
             &period=30"
        );
        assert!(otpauth_uri("a:b", "c:d", RFC).starts_with("otpauth://totp/ab:cd?"));
    }
}

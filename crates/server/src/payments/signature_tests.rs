//! The published vectors of the scheme, and every way in which a signature is not one.

use super::*;

const SECRET: &str = "whsec_test_gateway_0001";
const T: i64 = 1_760_000_000;
const A: &str = r#"{"id":"evt_test_0001","object":"event","type":"checkout.session.completed","data":{"object":{"id":"cs_test_0001","object":"checkout.session","client_reference_id":"ref_0001","payment_status":"paid","status":"complete","amount_total":1000,"currency":"usd"}}}"#;
const FIRST: &str = "b9c8fed6aa6aa28251714a47626b1ccb6f29d162fef4576880bbd54a84251313";
const OLD: &str = "3db2be9604fe7249611734ee803fe74127c4fe5b7d3bd21d2501fa0eace9e631";

fn check(header: &str, body: &str, now_s: i64) -> Result<(), BadSignature> {
    verify(header, body.as_bytes(), &[Secret::new(SECRET)], now_s)
}

#[test]
fn the_vectors_are_signed_as_published() {
    assert_eq!(A.len(), 257);
    let with_newline = format!("{A}\n");
    for (body, secret, v1) in [
        (A, SECRET, FIRST),
        (A, "whsec_test_gateway_OLD", OLD),
        (
            "{}",
            SECRET,
            "d4b9d6813caeed581e465953e918dcc700edd0aaf93689da0751bc1aa669291c",
        ),
        (
            &with_newline,
            SECRET,
            "5dcbca9cd7d222a8e470b695d5fc2dfac7d6c0416614aec118d13fcba4ae3c44",
        ),
        (
            "",
            SECRET,
            "3a5731c0c1c7480ad865b6b7930061c71ad5e4f4a56b10d25a929570ed6ffd92",
        ),
        (
            r#"{"note":"Zürich ☕"}"#,
            SECRET,
            "9111e331c855da2b2f40100272b68b8b9dc051ab9161c62c24b0d975249a306e",
        ),
    ] {
        let header = sign(body.as_bytes(), &Secret::new(secret), T);
        assert_eq!(header, format!("t={T},v1={v1}"), "{body}");
        let secrets = [Secret::new(secret)];
        assert_eq!(verify(&header, body.as_bytes(), &secrets, T), Ok(()));
    }
}

#[test]
fn one_right_signature_among_several_is_enough() {
    let header = format!("t={T},v1={OLD},v1={FIRST},v0=abcd");
    assert_eq!(check(&header, A, T), Ok(()));
    let header = format!("t={T}, v1={}", FIRST.to_uppercase());
    assert_eq!(check(&header, A, T), Ok(()), "digits of either case");
}

#[test]
fn either_of_two_secrets_may_have_signed() {
    let secrets = [Secret::new("whsec_new"), Secret::new(SECRET)];
    let header = format!("t={T},v1={FIRST}");
    assert_eq!(verify(&header, A.as_bytes(), &secrets, T), Ok(()));
    assert_eq!(
        verify(&header, A.as_bytes(), &secrets[..1], T),
        Err(BadSignature::Mismatch)
    );
}

#[test]
fn what_was_not_signed_like_this_does_not_match() {
    let newline = format!("{A}\n");
    for (header, body) in [
        (format!("t={T},v1={OLD}"), A),
        (format!("t={T},v1={FIRST}"), newline.as_str()),
        (format!("t={},v1={FIRST}", T + 1), A),
        (format!("t={T},v1={}", &FIRST[..63]), A),
        (format!("t={T},v1={FIRST}00"), A),
        (format!("t={T},v1="), A),
        (format!("t={T},v1={}", "ä".repeat(32)), A),
    ] {
        assert_eq!(
            check(&header, body, T),
            Err(BadSignature::Mismatch),
            "{header}"
        );
    }
}

#[test]
fn a_header_without_a_time_or_a_v1_cannot_be_read() {
    for header in [
        format!("v1={FIRST}"),
        format!("t=abc,v1={FIRST}"),
        format!("t=,v1={FIRST}"),
        format!("t=-1,v1={FIRST}"),
        format!("t={T},v0={FIRST}"),
        format!("t=99999999999999999999,v1={FIRST}"),
        String::new(),
        ",,=,".to_owned(),
    ] {
        assert_eq!(
            check(&header, A, T),
            Err(BadSignature::Malformed),
            "{header}"
        );
    }
}

#[test]
fn the_tolerance_is_three_hundred_seconds_either_way() {
    let header = format!("t={T},v1={FIRST}");
    assert_eq!(check(&header, A, T + 300), Ok(()));
    assert_eq!(check(&header, A, T + 301), Err(BadSignature::Stale));
    assert_eq!(check(&header, A, T - 300), Ok(()));
    assert_eq!(check(&header, A, T - 301), Err(BadSignature::Stale));
}

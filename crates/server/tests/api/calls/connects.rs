//! How long an attempt took to connect, in the log.

use super::disconnects::ask;
use super::vendor::{CHAT, Vendor, asks};
use super::vendor_replies::whole;

#[test]
fn a_new_connection_is_timed_and_one_at_hand_took_nothing() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole(CHAT.dialect));
    let connect_ms = || vendor.newest().attempts.0[0].connect_ms;
    let mut connection = ask(&vendor, "chat", false);
    connection.read_until("there");
    assert!(connect_ms().is_some());
    // On the same connection it comes to the same thread, which has one to the upstream.
    let (path, body) = asks("chat", false);
    let body = body.to_string();
    connection.write(&format!(
        "POST {path} HTTP/1.1\r\nhost: gate\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        vendor.token,
        body.len()
    ));
    connection.read_until("there");
    assert_eq!(connect_ms(), None);
    assert_eq!(vendor.upstream().accepted_connections(), 1);
}

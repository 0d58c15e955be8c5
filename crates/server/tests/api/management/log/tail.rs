//! The live tail: calls that end after it began, once each, and only those that one may see.

use super::calls::{call, log};
use crate::support::{Connection, Office};

#[test]
fn calls_are_shown_as_they_end() {
    let office = Office::open();
    log(&office, &[call(0, office.user.id)]);
    let mut connection = Connection::open(office.app.address);
    let token = office.user.token.as_ref().unwrap();
    connection.write(&format!(
        "GET /api/log/stream HTTP/1.1\r\nhost: gate.example\r\nauthorization: Bearer {token}\r\n\
         connection: close\r\n\r\n"
    ));
    let head = connection.read_until("\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("text/event-stream"), "{head}");
    log(&office, &[call(3, office.user.id)]);
    let text = connection.read_until("request-000003");
    assert!(
        !text.contains("request-000002"),
        "each call comes once: {text}"
    );
    assert_eq!(office.user.get("/api/log/stream?scope=all").status, 403);
}

//! The live tail: calls that end after it began, once each, and only those that one may see.

use super::calls::{call, log};
use serde_json::json;

use crate::support::{Actor, Browser, Connection, Office, ROOT_PASSWORD};

/// Listens to one's own calls.
fn listen(office: &Office, actor: &Actor, query: &str) -> Connection {
    let mut connection = Connection::open(office.app.address);
    let token = actor.token.as_ref().expect("a session");
    connection.write(&format!(
        "GET /api/log/stream{query} HTTP/1.1\r\nhost: gate.example\r\n\
         authorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    ));
    let head = connection.read_until("\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("text/event-stream"), "{head}");
    connection
}

/// Makes a call that lasts for as long as the connection.
fn call_at_length(office: &Office, actor: &Actor, switches: &str) -> Connection {
    let made = actor.post("/api/token/", &json!({"name": "slow"})).data();
    let key = made["key"].as_str().expect("a key");
    let words = "word ".repeat(500);
    let body = json!({"model": "demo-chat", "stream": true,
        "messages": [{"role": "user", "content": words}]});
    let body = body.to_string();
    let mut connection = Connection::open(office.app.address);
    connection.write(&format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: gate.example\r\n\
         authorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         x-modelgate-demo: {switches}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ));
    connection
}

#[test]
fn calls_under_way_are_shown_to_whoever_may_see_them() {
    let office = Office::open();
    // Began before anybody watched: it shows itself with its next piece.
    let mut early = call_at_length(&office, &office.root, "pace=50");
    early.read_until("data: ");
    let mut all = listen(&office, &office.root, "?scope=all");
    let text = all.read_until("\"is_answering\":true");
    assert!(text.contains("\"username\":\"root\""), "{text}");
    let late = call_at_length(&office, &office.root, "delay_first_byte=600000");
    let text = all.read_until("\"is_answering\":false");
    assert!(text.contains("\"token_name\":\"slow\""), "{text}");
    assert!(text.contains("\"channel\":\"demo\""), "{text}");

    // Neither somebody else's nor what is not looked for.
    let mut other = listen(&office, &office.user, "");
    let mut elsewhere = listen(&office, &office.root, "?model=demo-reasoning");
    drop((early, late));
    all.read_until("{\"calls\":[],\"more\":0}");
    log(&office, &[call(3, office.user.id)]);
    let text = other.read_until("request-000003");
    assert!(!text.contains("event: running"), "{text}");
    let mut ours = call(4, office.root.id);
    ours.model = "demo-reasoning".into();
    log(&office, &[ours]);
    let text = elsewhere.read_until("request-000004");
    assert!(!text.contains("event: running"), "{text}");
}

#[test]
fn calls_are_shown_as_they_end() {
    let office = Office::open();
    log(&office, &[call(0, office.user.id)]);
    let mut connection = listen(&office, &office.user, "");
    log(&office, &[call(3, office.user.id)]);
    let text = connection.read_until("request-000003");
    assert!(
        !text.contains("request-000002"),
        "each call comes once: {text}"
    );
    assert_eq!(office.user.get("/api/log/stream?scope=all").status, 403);
}

#[test]
fn it_ends_with_the_credential_that_asked_for_it() {
    let office = Office::open();
    let token = office.access_token(office.user.id, "read");
    let mut others = listen(&office, &office.user, "");
    let tail = listen(&office, &token, "");
    let id = office.records(async |store| {
        let tokens = store::access_tokens::list(store.read(), office.user.id).await;
        tokens.expect("the records work")[0].id.0
    });
    office.user.delete(&format!("/api/user/pat/{id}")).data();
    tail.wait_for_close();
    log(&office, &[call(3, office.user.id)]);
    others.read_until("request-000003");
}

#[test]
fn it_ends_when_its_access_token_expires_and_with_its_session() {
    let office = Office::open();
    let browser = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let listen = || {
        let mut connection = Connection::open(office.app.address);
        let session = browser.cookie("session").expect("a session");
        connection.write(&format!(
            "GET /api/log/stream HTTP/1.1\r\nhost: gate.example\r\n\
             cookie: session={session}\r\nconnection: close\r\n\r\n"
        ));
        connection.read_until("\r\n\r\n");
        connection
    };
    let tail = listen();
    let sessions = browser.get("/api/user/sessions").data();
    let sessions = sessions.as_array().expect("a list").iter();
    let mut own = sessions.filter(|session| session["is_current"] == true);
    let id = own.next().expect("one's own")["id"].clone();
    browser.delete(&format!("/api/user/sessions/{id}")).data();
    tail.wait_for_close();
    let browser = Browser::logged_in(office.app.address, "root", ROOT_PASSWORD);
    let body = json!({"name": "tail", "expires_at": 1_767_225_600 + 60});
    let made = browser.post("/api/user/pat", &body).data();
    let mut tail = Connection::open(office.app.address);
    tail.write(&format!(
        "GET /api/log/stream HTTP/1.1\r\nhost: gate.example\r\n\
         authorization: Bearer {}\r\nconnection: close\r\n\r\n",
        made["token"].as_str().expect("a token")
    ));
    tail.read_until("\r\n\r\n");
    office.app.clock.advance(std::time::Duration::from_mins(1));
    tail.wait_for_close();
}

#[test]
fn it_ends_for_whoever_may_see_less_than_before() {
    let office = Office::open();
    let all = listen(&office, &office.administrator, "?scope=all");
    let mut others = listen(&office, &office.root, "?scope=all");
    let id = office.administrator.id.0;
    let demoted = json!({"id": id, "role": 1});
    assert_eq!(office.root.put("/api/user/", &demoted).status, 200);
    all.wait_for_close();
    log(&office, &[call(3, office.user.id)]);
    others.read_until("request-000003");
}

//! A gateway that has as many connections as it may.

use std::time::Duration;

use serde_json::json;

use super::gateway::Gateway;
use super::realtime::{Conversation, run};
use crate::support::{Connection, send};

const ONE: &str = "[limits]\nconnections = 1\n[server]\nworkers = 4\n";

#[test]
fn the_one_connection_that_may_be_open_can_come_to_any_thread() {
    let gateway = Gateway::with_config(ONE);
    // The kernel spreads them over the threads.
    for _ in 0..24 {
        let reply = send(gateway.program.address, "GET /healthz", &[], "");
        assert_eq!(reply.status, 200);
    }
}

#[test]
fn a_conversation_counts_as_a_connection_until_it_ends() {
    let gateway = Gateway::with_config(ONE);
    run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let opened = Conversation::open(&gateway, "?model=demo-realtime", &headers).await;
        let mut talk = opened.expect("an upgrade");
        talk.until("session.created").await;
        let mut waiting = Connection::open(gateway.program.address);
        waiting.write("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        assert!(waiting.is_silent_for(Duration::from_millis(300)));
        talk.say(&json!({"type": "response.create"})).await;
        talk.until("response.done").await;
        talk.socket.close(None).await.expect("a close");
        talk.until_closed().await;
        drop(talk);
        assert_eq!(waiting.read_to_end().status, 200);
    });
}

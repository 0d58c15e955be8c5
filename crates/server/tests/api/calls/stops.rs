//! A channel that somebody switches off: what it streams ends at once, as a broken stream does, and what
//! nobody has anything of yet goes to another channel. Draining lets it go on.

use store::ChannelId;
use store::channels::{self, ChannelChanges, ChannelState};
use testkit::{Ending, Reply as Scripted};

use super::disconnects::ask;
use super::vendor::{CHAT, GRANT_NANOS, MESSAGES, Vendor};
use super::vendor_replies::{begun, stream as streamed, whole};

/// Puts the channel into a state and loads the channels, as every node does when it hears of it.
fn switch(vendor: &Vendor, id: ChannelId, state: ChannelState) {
    vendor.runtime.block_on(async {
        let app = &vendor.gate.app;
        let changes = ChannelChanges {
            state: Some(state),
            ..ChannelChanges::default()
        };
        let transaction = app.store().write().await.expect("the records work");
        let now = app.clock().now_ms();
        channels::update(&transaction, id, changes, now)
            .await
            .expect("the records work");
        transaction.commit().await.expect("the records work");
        let reloaded = app.channels().reload(app.store(), app.keys()).await;
        reloaded.expect("the records work");
    });
}

#[test]
fn a_channel_that_is_switched_off_ends_what_it_streams() {
    for (client, speaks, sign) in [
        ("chat", CHAT, "\"error\":{"),
        ("messages", CHAT, "event: error"),
        ("messages", MESSAGES, "event: error"),
        ("responses", MESSAGES, "response.failed"),
    ] {
        let vendor = Vendor::speaking(speaks);
        let reply = begun(speaks.dialect).stall();
        vendor.upstream().on(speaks.stream_path, reply);
        let mut connection = ask(&vendor, client, true);
        connection.read_until("there");
        let app = &vendor.gate.app;
        let id = app.channels().snapshot().channels().next().unwrap().id;
        switch(&vendor, id, ChannelState::Draining);
        assert_eq!(app.channels().status(id).unwrap().in_flight, 1);
        switch(&vendor, id, ChannelState::Off);
        let end = connection.read_until(sign);
        assert!(end.contains("The upstream was switched off."), "{end}");
        let ending = vendor.runtime.block_on(vendor.upstream().ending(0));
        assert!(matches!(ending, Ending::LeftByPeer { .. }), "{ending:?}");
        let call = vendor.newest();
        assert_eq!(
            call.error_message.as_deref(),
            Some("The upstream was switched off.")
        );
        assert_eq!((call.charge_nanos, vendor.owned()), (0, GRANT_NANOS));
        let status = app.channels().status(id).unwrap();
        assert_eq!((status.state, status.in_flight), ("off", 0));
    }
}

/// The channel that is tried first.
fn first_channel(vendor: &Vendor) -> ChannelId {
    let snapshot = vendor.gate.app.channels().snapshot();
    let first = snapshot.channels().max_by_key(|one| one.priority);
    first.expect("a channel").id
}

#[test]
fn an_answer_that_nobody_has_anything_of_comes_from_another_channel() {
    for stream in [false, true] {
        let vendor = Vendor::with(&[CHAT, CHAT], "100");
        vendor.upstream().on(CHAT.path, Scripted::silence());
        let (answer, end) = if stream {
            (streamed(CHAT.dialect), "[DONE]")
        } else {
            (Scripted::json(&whole(CHAT.dialect)), "there")
        };
        vendor.upstreams[1].on(CHAT.path, answer);
        let mut connection = ask(&vendor, "chat", stream);
        let waiting = vendor.upstream().wait_for_requests(1);
        vendor.runtime.block_on(waiting);
        let id = first_channel(&vendor);
        switch(&vendor, id, ChannelState::Off);
        connection.read_until(end);
        let ending = vendor.runtime.block_on(vendor.upstream().ending(0));
        assert!(matches!(ending, Ending::LeftByPeer { .. }), "{ending:?}");
        let call = vendor.newest();
        let tries: Vec<Option<&str>> = call
            .attempts
            .0
            .iter()
            .map(|one| one.error.as_deref())
            .collect();
        assert_eq!(tries, [Some("The upstream was switched off."), None]);
        assert!(call.charge_nanos > 0);
        assert_eq!(vendor.gate.app.channels().status(id).unwrap().state, "off");
    }
}

#[test]
fn an_answer_that_is_not_streamed_fails_where_there_is_no_other_channel() {
    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(CHAT.path, Scripted::silence());
    let mut connection = ask(&vendor, "chat", false);
    let waiting = vendor.upstream().wait_for_requests(1);
    vendor.runtime.block_on(waiting);
    switch(&vendor, first_channel(&vendor), ChannelState::Off);
    let answer = connection.read_until("switched off");
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    let call = vendor.newest();
    assert_eq!((call.status, call.charge_nanos), (502, 0));
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

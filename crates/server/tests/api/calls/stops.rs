//! A channel that somebody switches off: what it streams ends at once, as a broken stream does.
//! Draining lets it go on.

use store::ChannelId;
use store::channels::{self, ChannelChanges, ChannelState};
use testkit::Ending;

use super::disconnects::ask;
use super::vendor::{CHAT, GRANT_NANOS, MESSAGES, Vendor};
use super::vendor_replies::begun;

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

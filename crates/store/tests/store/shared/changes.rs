//! Change notices: everyone hears them, and whoever missed some is told.

use std::time::Duration;

use store::shared::{Change, Memory, MemoryBounds, Notice, RedisOptions, Shared, Subscription};
use store::{ChannelId, TokenId, UserId};
use tokio::time::timeout;

use super::backend::{open, redis_options, redis_url};

on_both_backends!(every_subscriber_hears_every_change_once_and_in_order);

/// The next notice, which must come soon.
pub async fn next(subscription: &mut Subscription) -> Notice {
    timeout(Duration::from_secs(10), subscription.next())
        .await
        .unwrap()
        .unwrap()
}

async fn every_subscriber_hears_every_change_once_and_in_order(shared: Shared) {
    let mut subscriptions = [shared.subscribe(), shared.clone().subscribe()];
    let changes = [
        Change::User(UserId(1)),
        Change::Token(TokenId(i64::MAX)),
        Change::Channel(ChannelId(-3)),
        Change::Sessions(UserId(4)),
    ];
    for change in changes {
        shared.publish(change).await.unwrap();
    }
    shared.publish(Change::Prices).await.unwrap();
    for subscription in &mut subscriptions {
        for change in changes {
            assert_eq!(next(subscription).await, Notice::Changed(change));
        }
        assert_eq!(next(subscription).await, Notice::Changed(Change::Prices));
    }
}

#[tokio::test]
async fn a_change_on_one_node_reaches_the_others() {
    let options = redis_options();
    let one = open(options.clone()).await;
    let two = open(RedisOptions {
        node: "node-2".to_owned(),
        ..options
    })
    .await;
    let mut heard = [one.subscribe(), two.subscribe()];
    for change in [Change::Groups, Change::Settings, Change::Everything] {
        one.publish(change).await.unwrap();
        for subscription in &mut heard {
            assert_eq!(next(subscription).await, Notice::Changed(change));
        }
    }
}

#[tokio::test]
async fn a_message_of_a_newer_version_counts_as_missed() {
    let options = redis_options();
    let channel = format!("{}changes", options.prefix);
    let shared = open(options).await;
    let mut subscription = shared.subscribe();
    let client = ::redis::Client::open(redis_url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let message = r#"{"node":"node-9","change":{"comet":7}}"#;
    ::redis::cmd("PUBLISH")
        .arg(channel)
        .arg(message)
        .exec_async(&mut connection)
        .await
        .unwrap();
    assert_eq!(next(&mut subscription).await, Notice::Missed);
}

#[tokio::test]
async fn a_subscriber_that_falls_behind_is_told_to_reload() {
    let bounds = MemoryBounds {
        notices: 4,
        ..MemoryBounds::default()
    };
    let shared = Shared::Memory(Memory::new(bounds));
    let mut slow = shared.subscribe();
    for user in 0..10 {
        shared.publish(Change::User(UserId(user))).await.unwrap();
    }
    assert_eq!(next(&mut slow).await, Notice::Missed);
    assert_eq!(
        next(&mut slow).await,
        Notice::Changed(Change::User(UserId(6)))
    );
}

#[tokio::test]
async fn a_subscription_ends_with_the_state_it_listens_to() {
    let shared = Shared::memory();
    let mut subscription = shared.subscribe();
    drop(shared);
    assert_eq!(subscription.next().await, None);
}

//! Who is chosen within a tier: weights, their bias, and conversations that stay where they are.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Place;
use super::fixture::{Node, channel, failure};

/// How often each channel comes first in so many calls that end at once.
fn counts(node: &Node, calls: usize) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    for _ in 0..calls {
        *counts.entry(node.first().unwrap()).or_default() += 1;
    }
    counts
}

fn answer(node: &Node, id: i64, ms: u64) {
    let place = hold(node, id);
    place.answered(Duration::from_millis(ms));
}

/// A place on this channel.
fn hold(node: &Node, id: i64) -> Place {
    loop {
        let place = node.route().unwrap().next(node.now()).unwrap();
        if place.channel.id.0 == id {
            return place;
        }
    }
}

#[test]
fn weights_are_shares() {
    let node = Node::new(&[channel(1, 0, 3), channel(2, 0, 1), channel(3, 0, 0)]);
    let counts = counts(&node, 4_000);
    assert!((2_850..3_150).contains(&counts[&1]), "{counts:?}");
    assert!((850..1_150).contains(&counts[&2]), "{counts:?}");
    assert!(
        !counts.contains_key(&3),
        "a weight of 0 is for when nothing else is left"
    );
}

#[test]
fn a_weight_of_nothing_is_used_when_nothing_else_is_left() {
    let node = Node::new(&[channel(1, 0, 0)]);
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn weights_are_shares_in_a_large_tier_too() {
    let made: Vec<_> = (1..=1_000)
        .map(|id| channel(id, 0, if id <= 500 { 3 } else { 1 }))
        .collect();
    let node = Node::new(&made);
    let counts = counts(&node, 4_000);
    let heavy: usize = counts.range(..=500).map(|(_, count)| count).sum();
    assert!((2_850..3_150).contains(&heavy), "{heavy}");
}

#[test]
fn a_large_tier_is_searched_to_its_last_channel() {
    let made: Vec<_> = (1..=100).map(|id| channel(id, 0, 1)).collect();
    let node = Node::new(&made);
    for id in 1..100 {
        hold(&node, id).failed(&failure(401, &[]));
    }
    assert_eq!(node.first(), Ok(100));
}

#[test]
fn a_slow_channel_gets_less_until_its_slowness_is_old() {
    let node = Node::new(&[channel(1, 0, 1), channel(2, 0, 1)]);
    answer(&node, 1, 100);
    answer(&node, 2, 400);
    let slow = counts(&node, 4_000)[&2];
    // A quarter of the other's share.
    assert!((700..900).contains(&slow), "{slow}");
    node.wait(3_600_000);
    let faded = counts(&node, 4_000)[&2];
    assert!((1_850..2_150).contains(&faded), "{faded}");
}

#[test]
fn a_loaded_channel_gets_less() {
    let node = Node::new(&[channel(1, 0, 1), channel(2, 0, 1)]);
    let _held: Vec<Place> = (0..3).map(|_| hold(&node, 2)).collect();
    let loaded = counts(&node, 4_000)[&2];
    // One call against four.
    assert!((700..900).contains(&loaded), "{loaded}");
}

#[test]
fn load_in_proportion_to_weight_is_no_bias() {
    let node = Node::new(&[channel(1, 0, 9), channel(2, 0, 1)]);
    let _held: Vec<Place> = (0..9)
        .map(|_| hold(&node, 1))
        .chain([hold(&node, 2)])
        .collect();
    let heavy = counts(&node, 4_000)[&1];
    assert!((3_450..3_750).contains(&heavy), "{heavy}");
}

fn home(node: &Node, conversation: u64) -> i64 {
    let mut route = node.route_with(Some(conversation)).unwrap();
    route.next(node.now()).unwrap().channel.id.0
}

#[test]
fn a_conversation_stays_and_conversations_spread() {
    let made: Vec<_> = (1..=4).map(|id| channel(id, 0, 1)).collect();
    let node = Node::new(&made);
    let mut homes: BTreeMap<i64, usize> = BTreeMap::new();
    for conversation in 0..400 {
        let first = home(&node, conversation);
        *homes.entry(first).or_default() += 1;
        for _ in 0..5 {
            assert_eq!(home(&node, conversation), first);
        }
    }
    assert!(
        homes.values().all(|count| (60..140).contains(count)),
        "{homes:?}"
    );
    // Without one of the channels, only its conversations move.
    let fewer = Node::new(&made[..3]);
    for conversation in 0..400 {
        let before = home(&node, conversation);
        let after = home(&fewer, conversation);
        assert!(before == 4 || before == after);
    }
}

#[test]
fn a_conversation_stays_in_a_large_tier_too() {
    let made: Vec<_> = (1..=200).map(|id| channel(id, 0, 1)).collect();
    let node = Node::new(&made);
    let mut homes: BTreeMap<i64, usize> = BTreeMap::new();
    for conversation in 0..300 {
        let first = home(&node, conversation);
        *homes.entry(first).or_default() += 1;
        assert_eq!(home(&node, conversation), first);
    }
    assert!(homes.len() > 100, "{homes:?}");
}

#[test]
fn a_conversation_leaves_a_channel_that_fails_or_is_loaded_and_comes_back() {
    let node = Node::new(&[channel(1, 0, 1), channel(2, 0, 1)]);
    let conversation = (0..100).find(|one| home(&node, *one) == 1).unwrap();
    // Refused once: the key rests.
    let mut route = node.route_with(Some(conversation)).unwrap();
    let place = route.next(node.now()).unwrap();
    place.failed(&failure(429, &[("retry-after", "3")]));
    assert_eq!(route.next(node.now()).unwrap().channel.id.0, 2);
    drop(place);
    assert_eq!(home(&node, conversation), 2);
    node.wait(3_000);
    assert_eq!(home(&node, conversation), 1);
    // Loaded: the choice is by weight and load like any other.
    let held: Vec<Place> = (0..30).map(|_| hold(&node, 1)).collect();
    let stayed = (0..100).filter(|_| home(&node, conversation) == 1).count();
    assert!(stayed < 20, "{stayed}");
    drop(held);
    assert_eq!(home(&node, conversation), 1);
}

//! The way of a call: who is offered after whom, what failures do, and what lives on.

use std::future::poll_fn;
use std::time::Duration;

use proptest::prelude::*;
use providers::Operation::{CountTokens, Embed, Generate, Rerank};
use providers::Retry;
use store::ChannelId;
use store::channels::ChannelState;

use super::fixture::{MODEL, Node, channel, failure, missing_model};
use super::{NoChannel, Reason, Wanted};

#[test]
fn a_call_goes_from_tier_to_tier_and_to_each_channel_once() {
    let node = Node::new(&[
        channel(1, 0, 1),
        channel(2, 10, 1),
        channel(3, 10, 1),
        channel(4, 5, 1),
    ]);
    let mut route = node.route().unwrap();
    let mut tried = Vec::new();
    while let Ok(place) = route.next(node.now()) {
        place.failed(&failure(500, &[]));
        tried.push(place.channel.id.0);
    }
    tried[..2].sort_unstable();
    assert_eq!(tried, [2, 3, 4, 1]);
}

#[test]
fn who_serves_whom_decides_who_is_looked_at() {
    let node = Node::new(&[
        channel(1, 0, 1).with(|row| row.groups.0 = vec!["vip".to_owned()]),
        channel(2, 0, 1).with(|row| row.state = ChannelState::Off),
    ]);
    let begin = |model, group, operation| {
        let wanted = Wanted {
            model,
            group,
            operation,
            tokens: 0,
            only: None,
        };
        super::Route::begin(&node.channels, wanted).map(drop)
    };
    assert_eq!(begin(MODEL, "vip", Generate), Ok(()));
    assert_eq!(
        begin(MODEL, "default", Generate),
        Err(NoChannel::NotForGroup)
    );
    assert_eq!(
        begin("other", "vip", Generate),
        Err(NoChannel::UnknownModel)
    );
    assert_eq!(begin(MODEL, "vip", Rerank), Err(NoChannel::NotOffered));
}

#[test]
fn a_call_for_one_channel_goes_through_that_one_alone() {
    let node = Node::new(&[
        channel(1, 10, 1),
        channel(2, 0, 1)
            .keys(2)
            .with(|row| row.groups.0 = vec!["vip".to_owned()]),
        channel(3, 0, 1).with(|row| row.state = ChannelState::Off),
    ]);
    let begin = |id, model| {
        let wanted = Wanted {
            model,
            group: "default",
            operation: Generate,
            tokens: 0,
            only: Some(ChannelId(id)),
        };
        super::Route::begin(&node.channels, wanted)
    };
    // Neither its tier nor its groups count, and no other channel takes over.
    let mut route = begin(2, MODEL).unwrap();
    let mut tried = Vec::new();
    while let Ok(place) = route.next(node.now()) {
        place.failed(&failure(401, &[]));
        tried.push((place.channel.id.0, place.key_index));
    }
    tried.sort_unstable();
    assert_eq!(tried, [(2, 0), (2, 1)]);
    for (id, model) in [(2, "other"), (3, MODEL), (9, MODEL)] {
        assert_eq!(begin(id, model).unwrap_err(), NoChannel::NotOnChannel);
    }
}

#[test]
fn a_draining_channel_takes_nothing_new_and_cuts_nobody_off() {
    let node = Node::new(&[channel(1, 0, 1)]);
    let place = node.route().unwrap().next(node.now()).unwrap();
    node.load(&[channel(1, 0, 1).with(|row| row.state = ChannelState::Draining)]);
    assert!(matches!(
        node.first(),
        Err(NoChannel::NothingHealthy { .. })
    ));
    place.answered(Duration::from_millis(5));
    assert_eq!(
        node.channels.status(place.channel.id).unwrap().state,
        "draining"
    );
    assert_eq!(node.channels.status(place.channel.id).unwrap().in_flight, 1);
}

#[tokio::test]
async fn a_channel_that_is_switched_off_tells_the_calls_that_run_on_it() {
    let node = Node::new(&[channel(1, 0, 1)]);
    let place = node.route().unwrap().next(node.now()).unwrap();
    let mut signal = place.stop_signal();
    let told = tokio::spawn(async move { poll_fn(|cx| signal.poll(cx)).await });
    for state in [ChannelState::On, ChannelState::Draining] {
        node.load(&[channel(1, 0, 1).with(|row| row.state = state)]);
        tokio::task::yield_now().await;
        assert!(!told.is_finished(), "{state:?} cuts nobody off");
    }
    node.load(&[channel(1, 0, 1).with(|row| row.state = ChannelState::Off)]);
    let told = tokio::time::timeout(Duration::from_secs(5), told).await;
    assert!(told.is_ok(), "a call that waits is woken");
    let mut late = place.stop_signal();
    poll_fn(|cx| late.poll(cx)).await;
}

#[test]
fn a_refused_key_hands_over_to_the_next_and_rests() {
    let node = Node::new(&[channel(1, 0, 1).keys(3), channel(2, -1, 1)]);
    let mut route = node.route().unwrap();
    let mut tried = Vec::new();
    for _ in 0..3 {
        let place = route.next(node.now()).unwrap();
        place.failed(&failure(401, &[]));
        tried.push((place.channel.id.0, place.key_index));
    }
    assert_eq!(tried, [(1, 0), (1, 1), (1, 2)]);
    assert_eq!(route.next(node.now()).unwrap().channel.id.0, 2);
    // All keys are refused: the channel is paused, and says why.
    assert_eq!(node.first(), Ok(2));
    let status = node.channels.status(store::ChannelId(1)).unwrap();
    assert_eq!(status.state, "paused");
    assert!(
        status.reason.unwrap().starts_with("credential"),
        "{:?}",
        status.keys
    );
    assert_eq!(status.until_ms, Some(node.now() + 60_000));
    node.wait(60_000);
    assert_eq!(node.first(), Ok(1), "nothing is disabled for ever");
}

#[test]
fn another_key_is_tried_although_the_channel_takes_one_call_at_a_time() {
    let node = Node::new(&[channel(1, 0, 1)
        .keys(2)
        .with(|row| row.concurrency = Some(1))]);
    let mut route = node.route().unwrap();
    let first = route.next(node.now()).unwrap();
    assert!(matches!(node.first(), Err(NoChannel::Busy { .. })));
    first.failed(&failure(429, &[("retry-after", "9")]));
    let second = route.next(node.now()).unwrap();
    assert_ne!(first.key_index, second.key_index);
    drop(first);
    assert!(node.first().is_err(), "the second try holds the place");
    drop(second);
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn a_limit_at_the_upstream_is_told_as_such() {
    let node = Node::new(&[channel(1, 0, 1)]);
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.failed(&failure(429, &[("retry-after", "7")]));
    drop(place);
    let cooling = NoChannel::CoolingDown {
        retry_after_ms: 7_000,
    };
    assert_eq!(node.first(), Err(cooling));
    node.wait(7_000);
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn a_burst_of_limits_is_one_rest_and_the_next_burst_a_longer_one() {
    let node = Node::new(&[channel(1, 0, 1)]);
    for rest_ms in [1_000, 2_000] {
        let places: Vec<_> = (0..20)
            .map(|_| node.route().unwrap().next(node.now()).unwrap())
            .collect();
        for place in &places {
            place.failed(&failure(429, &[("retry-after", "0")]));
        }
        drop(places);
        let cooling = NoChannel::CoolingDown {
            retry_after_ms: rest_ms,
        };
        assert_eq!(node.first(), Err(cooling));
        node.wait(i64::try_from(rest_ms).unwrap());
    }
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn a_broken_channel_is_left_out_and_probed_by_one_call() {
    let node = Node::new(&[channel(1, 10, 1), channel(2, 0, 1)]);
    for _ in 0..5 {
        let place = node.route().unwrap().next(node.now()).unwrap();
        assert_eq!(place.channel.id.0, 1);
        place.failed(&failure(500, &[]));
    }
    assert_eq!(node.first(), Ok(2));
    node.wait(5_000);
    let probe = node.route().unwrap().next(node.now()).unwrap();
    assert_eq!(probe.channel.id.0, 1);
    assert_eq!(node.first(), Ok(2), "one probe at a time");
    probe.answered(Duration::from_millis(5));
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn what_the_client_did_wrong_never_counts() {
    let node = Node::new(&[channel(1, 0, 1)]);
    for _ in 0..100 {
        let place = node.route().unwrap().next(node.now()).unwrap();
        place.failed(&failure(400, &[]));
    }
    assert_eq!(
        node.channels.status(store::ChannelId(1)).unwrap().state,
        "on"
    );
}

#[test]
fn a_client_that_leaves_says_nothing_about_the_channel() {
    let node = Node::new(&[channel(1, 0, 1)]);
    for _ in 0..100 {
        drop(node.route().unwrap().next(node.now()).unwrap());
    }
    let status = node.channels.status(store::ChannelId(1)).unwrap();
    assert_eq!(
        (status.state, status.in_flight, status.latency_ms),
        ("on", 0, None)
    );
}

#[test]
fn a_model_that_the_upstream_lacks_concerns_that_model_alone() {
    let two_models = |row: &mut store::channels::Channel| row.models.0.push("n".to_owned());
    let node = Node::new(&[channel(1, 0, 1).with(two_models)]);
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.failed(&missing_model());
    assert!(node.first().is_err());
    let wanted = Wanted {
        model: "n",
        group: "default",
        operation: Generate,
        tokens: 0,
        only: None,
    };
    let mut route = super::Route::begin(&node.channels, wanted).unwrap();
    assert!(route.next(node.now()).is_ok());
    node.wait(60_000);
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn what_a_model_cannot_do_concerns_what_else_it_can_do_as_little_as_a_count_does() {
    let node = Node::new(&[channel(1, 0, 1)]);
    let doing = |operation| {
        let wanted = Wanted {
            model: MODEL,
            group: "default",
            operation,
            tokens: 0,
            only: None,
        };
        let mut route = super::Route::begin(&node.channels, wanted).unwrap();
        route.next(node.now())
    };
    for status in [401, 403, 404, 429, 500] {
        for _ in 0..9 {
            let count = doing(CountTokens).expect("it is taken");
            count.failed(&failure(status, &[]));
        }
    }
    assert_eq!(node.first(), Ok(1));
    doing(Embed)
        .expect("it is taken")
        .failed(&failure(404, &[]));
    assert!(doing(Embed).is_err());
    assert_eq!(node.first(), Ok(1));
    node.wait(60_000);
    assert!(doing(Embed).is_ok());
}

#[test]
fn the_limits_of_a_channel_are_counted_and_corrected() {
    let limited = channel(1, 0, 1).with(|row| (row.rpm, row.tpm) = (Some(3), Some(1_000)));
    let node = Node::new(&[limited]);
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.used(1_000);
    assert!(
        matches!(node.first(), Err(NoChannel::Busy { .. })),
        "no tokens left"
    );
    place.used(10);
    assert_eq!(node.first(), Ok(1));
    assert_eq!(node.first(), Ok(1));
    let busy = NoChannel::Busy {
        retry_after_ms: 20_000,
    };
    assert_eq!(node.first(), Err(busy), "three a minute");
}

#[test]
fn health_lives_through_reloads_ends_with_an_edit_and_goes_with_the_channel() {
    let node = Node::new(&[channel(1, 0, 1)]);
    let trip = || {
        let place = node.route().unwrap().next(node.now()).unwrap();
        place.failed(&failure(401, &[]));
    };
    trip();
    node.load(&[channel(1, 0, 1)]);
    assert!(node.first().is_err(), "nothing was changed");
    node.load(&[channel(1, 0, 1).with(|row| row.updated_at = 5)]);
    assert_eq!(node.first(), Ok(1), "somebody has mended it");
    trip();
    node.load(&[]);
    assert_eq!(node.first(), Err(NoChannel::UnknownModel));
    node.load(&[channel(1, 0, 1).with(|row| row.updated_at = 5)]);
    assert_eq!(node.first(), Ok(1));
}

#[test]
fn an_explanation_names_candidates_and_reasons() {
    let node = Node::new(&[
        channel(1, 10, 3),
        channel(2, 10, 1),
        channel(3, 0, 1),
        channel(4, 0, 1).with(|row| row.state = ChannelState::Off),
        channel(5, 0, 1).with(|row| row.provider = "nobody".to_owned()),
        channel(6, 0, 1).with(|row| row.groups.0 = vec!["vip".to_owned()]),
        channel(7, 0, 1).with(|row| row.models.0 = vec!["n".to_owned()]),
        channel(8, -5, 1).with(|row| row.concurrency = Some(1)),
    ]);
    node.wait(1);
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.answered(Duration::from_millis(80));
    drop(place);
    let snapshot = node.channels.snapshot();
    let explained = super::explain(&snapshot, ("default", MODEL), Generate, node.now());
    let order: Vec<(i64, Vec<i64>)> = explained
        .tiers
        .iter()
        .map(|tier| {
            let ids = tier
                .candidates
                .iter()
                .map(|candidate| candidate.channel_id.0);
            (tier.priority, ids.collect())
        })
        .collect();
    assert_eq!(order, [(10, vec![1, 2]), (0, vec![3]), (-5, vec![8])]);
    let shares: f64 = explained.tiers[0]
        .candidates
        .iter()
        .map(|one| one.share)
        .sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let reasons: Vec<(i64, Reason)> = explained
        .excluded
        .iter()
        .map(|one| (one.channel_id.0, one.reason))
        .collect();
    assert_eq!(
        reasons,
        [
            (4, Reason::Off),
            (6, Reason::Group),
            (7, Reason::Model),
            (5, Reason::Misconfigured)
        ]
    );
    let json = serde_json::to_value(&explained).unwrap();
    assert_eq!(
        json["excluded"][3]["detail"],
        "there is no provider `nobody`"
    );
    let covered = super::coverage(&snapshot, &["default".to_owned()], node.now());
    let of_model = covered.iter().find(|one| one.model == MODEL).unwrap();
    assert_eq!((of_model.channels, of_model.healthy), (5, 4));
}

#[test]
fn a_channel_that_failed_is_on_trial_until_a_call_goes_well() {
    let node = Node::new(&[channel(1, 10, 1)]);
    let covered = |node: &Node| {
        let snapshot = node.channels.snapshot();
        let covered = super::coverage(&snapshot, &["default".to_owned()], node.now());
        let unserved = snapshot.unserved_models(&snapshot.troubles());
        (covered[0].healthy, covered[0].on_trial, unserved.len())
    };
    assert_eq!(covered(&node), (1, 0, 0));
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.failed(&failure(401, &[]));
    drop(place);
    assert_eq!(covered(&node), (0, 0, 1));
    // The pause is over, and nobody has called yet.
    node.wait(600_000);
    assert_eq!(covered(&node), (0, 1, 1));
    let place = node.route().unwrap().next(node.now()).unwrap();
    place.answered(Duration::from_millis(80));
    drop(place);
    assert_eq!(covered(&node), (1, 0, 0));
}

#[test]
fn a_model_of_channels_that_cannot_be_used_is_missed() {
    let node = Node::new(&[channel(1, 0, 1).with(|row| row.provider = "nobody".to_owned())]);
    let snapshot = node.channels.snapshot();
    let covered = super::coverage(&snapshot, &["default".to_owned()], node.now());
    let of_model = covered.iter().find(|one| one.model == MODEL).unwrap();
    assert_eq!((of_model.channels, of_model.healthy), (1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever fails and however: no key is offered twice, and a channel comes again only with
    /// another key after a failure that asked for one.
    #[test]
    fn a_failed_channel_is_never_offered_twice(
        settings in prop::collection::vec((0..3_i64, 0..4_i64, 1..4_usize), 1..24),
        statuses in prop::collection::vec(
            prop::sample::select(vec![400_u16, 401, 403, 404, 429, 500, 502, 503]), 80),
        affinity in prop::option::of(any::<u64>()),
    ) {
        let made: Vec<_> = (1..)
            .zip(&settings)
            .map(|(id, (priority, weight, keys))| channel(id, *priority, *weight).keys(*keys))
            .collect();
        let node = Node::new(&made);
        let mut route = node.route_with(affinity).unwrap();
        let mut tried: Vec<(i64, usize)> = Vec::new();
        let mut last: Option<(i64, Retry)> = None;
        for status in statuses {
            let Ok(place) = route.next(node.now()) else {
                break;
            };
            let (channel, key) = (place.channel.id.0, place.key_index);
            prop_assert!(!tried.contains(&(channel, key)));
            if tried.iter().any(|(other, _)| *other == channel) {
                prop_assert_eq!(last, Some((channel, Retry::OtherKey)));
            }
            tried.push((channel, key));
            let failed = failure(status, &[]);
            place.failed(&failed);
            last = Some((channel, failed.retry));
        }
        let channels: std::collections::BTreeSet<i64> =
            tried.iter().map(|(channel, _)| *channel).collect();
        prop_assert!(channels.len() == made.len() || tried.len() == 80);
    }
}

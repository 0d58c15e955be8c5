//! Channels that serve models by patterns: who serves a name, under which name, and what is remembered of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use billing::prices::PriceBook;
use providers::Operation;
use store::ChannelId;
use store::channels::{Channel as Row, ChannelState};

use super::explain::{coverage, explain};
use super::fixture::{Made, Node, channel};
use super::{Channels, NoChannel, Route, Wanted};

/// A channel of these entries, each with the upstream's name where that is another.
fn serving(id: i64, priority: i64, models: &[&str]) -> Made {
    channel(id, priority, 1).with(|row: &mut Row| {
        row.models.0.clear();
        for entry in models {
            let (name, upstream) = entry.split_once('=').unwrap_or((entry, entry));
            row.models.0.push(name.to_owned());
            if name != upstream {
                let mapping = &mut row.model_mapping.0;
                mapping.insert(name.to_owned(), upstream.to_owned());
            }
        }
    })
}

/// Who would be tried for a model one after the other, each with what the upstream is asked for.
fn tried(node: &Node, model: &str) -> Result<Vec<(i64, String)>, NoChannel> {
    tried_as(node, model, "default", None)
}

fn tried_as(
    node: &Node,
    model: &str,
    group: &str,
    only: Option<ChannelId>,
) -> Result<Vec<(i64, String)>, NoChannel> {
    let wanted = Wanted {
        model,
        group,
        operation: Operation::Generate,
        tokens: 1,
        only,
    };
    let mut route = Route::begin(&node.channels, wanted)?;
    let mut found = Vec::new();
    while let Ok(place) = route.next(node.now()) {
        found.push((place.channel.id.0, place.upstream_model.to_string()));
    }
    Ok(found)
}

fn asked(id: i64, upstream: &str) -> (i64, String) {
    (id, upstream.to_owned())
}

#[test]
fn what_the_star_stood_for_is_carried_over() {
    let node = Node::new(&[serving(
        1,
        0,
        &[
            "openai/*=*",
            "fast/*=vendor/*",
            "gpt-*",
            "claude-*=one-for-all",
        ],
    )]);
    for (model, upstream) in [
        ("openai/gpt-4o", "gpt-4o"),
        ("openai/ft:a/b", "ft:a/b"),
        ("fast/llama", "vendor/llama"),
        ("gpt-5", "gpt-5"),
        ("gpt-", "gpt-"),
        ("fast/", "vendor/"),
        ("claude-opus", "one-for-all"),
    ] {
        // The second time it comes from what is remembered.
        for _ in 0..2 {
            assert_eq!(tried(&node, model), Ok(vec![asked(1, upstream)]), "{model}");
        }
    }
    let long = format!("gpt-{}", "x".repeat(300));
    for unknown in [
        "openai/", "gpt", "GPT-5", "other", "gpt-*", "gpt-\n", &long, "",
    ] {
        assert_eq!(
            tried(&node, unknown),
            Err(NoChannel::UnknownModel),
            "{unknown}"
        );
        let only = Some(ChannelId(1));
        let refused = tried_as(&node, unknown, "default", only);
        assert_eq!(refused, Err(NoChannel::NotOnChannel), "{unknown}");
    }
    let only = tried_as(&node, "fast/x", "other", Some(ChannelId(1)));
    assert_eq!(only, Ok(vec![asked(1, "vendor/x")]));
}

#[test]
fn a_name_counts_before_a_pattern_and_a_longer_pattern_before_a_shorter() {
    let node = Node::new(&[serving(
        1,
        0,
        &["*=rest/*", "a/b/*=deep/*", "a/*=flat/*", "a/b/c=named"],
    )]);
    for (model, upstream) in [
        ("a/b/c", "named"),
        ("a/b/c2", "deep/c2"),
        ("a/b/", "deep/"),
        ("a/x", "flat/x"),
        ("a/b", "flat/b"),
        ("a", "rest/a"),
        ("é", "rest/é"),
    ] {
        assert_eq!(tried(&node, model), Ok(vec![asked(1, upstream)]), "{model}");
    }
}

#[test]
fn names_and_patterns_of_several_channels_stand_by_priority_alone() {
    let node = Node::new(&[
        serving(1, 0, &["gpt-4o"]),
        serving(2, 5, &["gpt-*"]),
        serving(3, 9, &["*"]),
        serving(4, 1, &["gpt-4*=x/*"]),
    ]);
    let all = vec![
        asked(3, "gpt-4o"),
        asked(2, "gpt-4o"),
        asked(4, "x/o"),
        asked(1, "gpt-4o"),
    ];
    assert_eq!(tried(&node, "gpt-4o"), Ok(all));
    let unnamed = vec![asked(3, "gpt-4z"), asked(2, "gpt-4z"), asked(4, "x/z")];
    assert_eq!(tried(&node, "gpt-4z"), Ok(unnamed));
    // Between two patterns in the order of letters, and beginning like neither of them.
    assert_eq!(tried(&node, "gpu"), Ok(vec![asked(3, "gpu")]));
    let beside = vec![asked(3, "gpt-5"), asked(2, "gpt-5")];
    assert_eq!(tried(&node, "gpt-5"), Ok(beside));
}

#[test]
fn groups_states_and_changes_count_for_patterns_too() {
    let of_team = |made: Made| made.with(|row| row.groups.0 = vec!["team".to_owned()]);
    let off = |made: Made| made.with(|row| row.state = ChannelState::Off);
    let node = Node::new(&[of_team(serving(1, 5, &["m-*"])), off(serving(2, 0, &["*"]))]);
    assert_eq!(tried(&node, "m-1"), Err(NoChannel::NotForGroup));
    let team = tried_as(&node, "m-1", "team", None);
    assert_eq!(team, Ok(vec![asked(1, "m-1")]));
    assert_eq!(tried(&node, "other"), Err(NoChannel::UnknownModel));
    node.load(&[
        of_team(serving(1, 5, &["m-*"])),
        serving(2, 0, &["*=new/*"]),
    ]);
    assert_eq!(tried(&node, "m-1"), Ok(vec![asked(2, "new/m-1")]));
    let both = tried_as(&node, "m-1", "team", None);
    assert_eq!(both, Ok(vec![asked(1, "m-1"), asked(2, "new/m-1")]));
}

#[test]
fn names_that_clients_make_up_fill_neither_memory_nor_metrics() {
    let node = Node::new(&[serving(1, 0, &["*"]), serving(2, 0, &["named", "m-*"])]);
    let before = meters(&node.channels);
    for number in 0..10_000 {
        let model = format!("m-{number}");
        assert_eq!(tried(&node, &model).map(|all| all.len()), Ok(2), "{model}");
    }
    let snapshot = node.channels.snapshot();
    assert!(snapshot.by_pattern.remembered() <= 4_096);
    assert!(snapshot.by_pattern.remembered() > 0);
    assert_eq!(meters(&node.channels), before);
    // A name that some channel lists is counted as itself wherever it goes.
    let named = tried(&node, "named").map(|all| all.len());
    assert_eq!(named, Ok(2));
    let shared = node.channels.meters().of(&Arc::from("c1"), "named");
    assert!(
        Arc::strong_count(&shared) > 2,
        "the first channel's calls of it"
    );
}

/// How many pairs of channels and models have a meter.
fn meters(channels: &Channels) -> usize {
    channels.meters().count()
}

#[test]
fn lists_have_names_and_what_of_a_pattern_has_a_price() {
    let node = Node::new(&[
        serving(1, 0, &["own", "demo-c*"]),
        serving(2, 0, &["strip/*=*", "mine/*=demo-*"]),
    ]);
    let snapshot = node.channels.snapshot();
    let book = PriceBook::default();
    let others = snapshot.priced_by_pattern(&book, node.now());
    let listed = snapshot.models("default", &others);
    let names: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
    assert!(names.is_sorted());
    assert!(names.contains(&"own") && names.contains(&"demo-chat"));
    assert!(names.contains(&"mine/chat"), "priced as demo-chat");
    assert!(!names.contains(&"demo-embedding"));
    assert!(!names.iter().any(|name| name.contains('*')));
    assert!(
        !names.iter().any(|name| name.starts_with("strip/")),
        "not every model of the world"
    );
    let first = snapshot.models_through(ChannelId(1), &others);
    assert!(first.iter().any(|(name, _)| *name == "demo-chat"));
    assert!(!first.iter().any(|(name, _)| name.starts_with("mine/")));

    let one = BTreeSet::from(["strip/x".to_owned(), "nobody".to_owned()]);
    let listed = snapshot.models("default", &one);
    let names: Vec<&str> = listed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["own", "strip/x"]);
    assert!(snapshot.is_served("strip/x") && snapshot.is_served("own"));
    assert!(!snapshot.is_served("strip/") && !snapshot.is_served("strip/*"));
}

#[test]
fn a_pattern_is_explained_and_covered_by_whoever_serves_all_of_it() {
    let node = Node::new(&[
        serving(1, 5, &["gpt-*=x/*"]),
        serving(2, 0, &["*", "gpt-4o"]),
        serving(3, 0, &["claude"]),
    ]);
    let snapshot = node.channels.snapshot();
    let explained = |model: &str| {
        let wanted = ("default", model);
        let explained = explain(&snapshot, wanted, Operation::Generate, node.now());
        let tiers = explained.tiers.iter().flat_map(|tier| &tier.candidates);
        let found: Vec<(i64, String)> = tiers
            .map(|one| (one.channel_id.0, one.upstream_model.clone()))
            .collect();
        (found, explained.excluded.len())
    };
    let both = |upstream: &str, plain: &str| vec![asked(1, upstream), asked(2, plain)];
    assert_eq!(explained("gpt-*"), (both("x/*", "gpt-*"), 1));
    assert_eq!(explained("gpt-4o"), (both("x/4o", "gpt-4o"), 1));
    assert_eq!(explained("gpt-9"), (both("x/9", "gpt-9"), 1));
    assert_eq!(explained("*"), (vec![asked(2, "*")], 2));

    let groups = ["default".to_owned()];
    let covered: Vec<(String, usize)> = coverage(&snapshot, &groups, node.now())
        .into_iter()
        .map(|one| (one.model, one.channels))
        .collect();
    let expected = [("*", 1), ("claude", 2), ("gpt-*", 2), ("gpt-4o", 2)];
    assert_eq!(
        covered,
        expected.map(|(model, count)| (model.to_owned(), count))
    );
}

#[test]
fn a_pattern_is_unserved_when_all_that_serve_all_of_it_are_down() {
    let broken = |made: Made| made.with(|row| row.provider = "nobody".to_owned());
    let node = Node::new(&[
        broken(serving(1, 0, &["gpt-*", "claude"])),
        serving(2, 0, &["gpt-4o"]),
    ]);
    let unserved = |node: &Node| {
        let snapshot = node.channels.snapshot();
        snapshot.unserved_models(&snapshot.troubles())
    };
    assert_eq!(unserved(&node), ["claude", "gpt-*"]);
    let refused = tried(&node, "gpt-5").map(|found| found.len());
    assert_eq!(
        refused,
        Ok(0),
        "it is known, and nothing takes it right now"
    );
    node.load(&[
        broken(serving(1, 0, &["gpt-*", "claude"])),
        serving(2, 0, &["*"]),
    ]);
    assert_eq!(unserved(&node), Vec::<String>::new());
}

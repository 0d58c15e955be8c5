//! Tokens, channels and their keys, prices, settings.

use std::collections::BTreeMap;

use serde_json::json;
use store::channel_keys::{self, NewChannelKey};
use store::channels::{self, Channel, ChannelChanges, ChannelFilter, ChannelState, NewChannel};
use store::prices::{self, NewPrice};
use store::settings::{self, Versioned};
use store::tokens::{self, NewToken, Purpose, Token, TokenChanges, TokenFilter, TokenUsage};
use store::users::Status;
use store::{ChannelId, Document, Page, Store, StoreError, TokenId, UserId};

use crate::support::{Place, a_user};

on_both_engines!(
    a_token_keeps_its_rights_and_limits,
    the_former_secret_works_while_the_overlap_lasts,
    tokens_are_listed_by_owner_and_name,
    playground_tokens_are_in_no_list_and_swept_when_over,
    usage_of_a_token_is_exact_under_16_racing_tasks,
    a_channel_keeps_every_field,
    channels_are_listed_by_filter,
    the_keys_of_a_channel_are_replaced_and_go_with_it,
    the_latest_price_that_has_begun_counts,
    settings_are_saved_over_the_version_that_was_read,
    declared_tokens_are_listed,
    work_that_is_done_alone_is_done_by_one_at_a_time,
);

const ALL: Page = Page {
    number: 1,
    size: 100,
};

pub async fn add(store: &Store, user_id: UserId, secret: &[u8], rights: TokenChanges) -> Token {
    let new = NewToken {
        user_id,
        name: format!("token {}", secret.len()),
        prefix: "sk-abc".to_owned(),
        secret_hash: secret.to_vec(),
        is_declared: false,
        now: 1000,
    };
    let transaction = store.write().await.unwrap();
    let token = tokens::insert(&transaction, new, rights).await.unwrap();
    transaction.commit().await.unwrap();
    token
}

async fn playground_tokens_are_in_no_list_and_swept_when_over(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    for (secret, expires_at) in [(b"a", 2000), (b"b", 3000)] {
        let rights = TokenChanges {
            purpose: Some(Purpose::Playground),
            expires_at: Some(Some(expires_at)),
            channel_id: Some(Some(ChannelId(7))),
            ..TokenChanges::default()
        };
        let token = add(&store, user, secret, rights).await;
        assert_eq!(token.purpose, Purpose::Playground);
        assert_eq!(token.channel_id, Some(ChannelId(7)));
    }
    let listed = tokens::list(store.read(), &TokenFilter::default(), ALL).await;
    assert_eq!(listed.unwrap().total, 0);
    let transaction = store.write().await.unwrap();
    let left = tokens::sweep_playground(&transaction, user, 2000).await;
    assert_eq!(left.unwrap(), 1);
    transaction.commit().await.unwrap();
    let over = tokens::find(store.read(), b"a", 0).await.unwrap();
    let lives = tokens::find(store.read(), b"b", 0).await.unwrap();
    assert!(over.is_none() && lives.is_some());
}

async fn a_token_keeps_its_rights_and_limits(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let plain = add(&store, user, b"a", TokenChanges::default()).await;
    assert_eq!((plain.status, plain.used_nanos), (Status::Enabled, 0));
    assert_eq!((plain.group_name, plain.models), (None, Document(vec![])));
    assert_eq!(plain.channel_id, None);
    assert_eq!(
        (plain.rpm, plain.budget_total_nanos, plain.expires_at),
        (None, None, None)
    );

    let rights = TokenChanges {
        group_name: Some(Some("default".to_owned())),
        models: Some(vec!["gpt-x".to_owned(), "ü\"".to_owned()]),
        endpoints: Some(vec!["chat".to_owned()]),
        cidrs: Some(vec!["10.0.0.0/8".to_owned()]),
        rpm: Some(Some(60)),
        tpm: Some(Some(1000)),
        concurrency: Some(Some(2)),
        budget_total_nanos: Some(Some(5_000_000_000_000)),
        budget_daily_nanos: Some(Some(0)),
        budget_weekly_nanos: Some(Some(1)),
        budget_monthly_nanos: Some(Some(2)),
        expires_at: Some(Some(9000)),
        ..TokenChanges::default()
    };
    let full = add(&store, user, b"bb", rights).await;
    assert_eq!(
        tokens::get(store.read(), full.id).await.unwrap(),
        Some(full.clone())
    );

    let transaction = store.write().await.unwrap();
    let changes = TokenChanges {
        name: Some("new name".to_owned()),
        status: Some(Status::Disabled),
        rpm: Some(None),
        models: Some(vec![]),
        expires_at: Some(None),
        ..TokenChanges::default()
    };
    let updated = tokens::update(&transaction, full.id, changes)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let expected = Token {
        name: "new name".to_owned(),
        status: Status::Disabled,
        rpm: None,
        models: Document(vec![]),
        expires_at: None,
        ..full
    };
    assert_eq!(updated.as_ref(), Some(&expected));
    assert_eq!(
        tokens::find(store.read(), b"bb", 1).await.unwrap(),
        Some(expected)
    );

    let transaction = store.write().await.unwrap();
    let nothing = tokens::update(&transaction, TokenId(999), TokenChanges::default()).await;
    assert_eq!(nothing.unwrap(), None);
    assert!(tokens::delete(&transaction, full.id).await.unwrap());
    assert!(!tokens::delete(&transaction, full.id).await.unwrap());
}

async fn the_former_secret_works_while_the_overlap_lasts(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let token = add(&store, user, b"first", TokenChanges::default()).await;
    let rotate = async |prefix: &str, secret: &[u8], until: Option<i64>| {
        let transaction = store.write().await.unwrap();
        let done = tokens::rotate(&transaction, token.id, prefix, secret, until)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        done
    };
    let found = async |secret: &[u8], now: i64| {
        tokens::find(store.read(), secret, now)
            .await
            .unwrap()
            .map(|found| found.id)
    };
    assert!(rotate("sk-two", b"second", Some(2000)).await);
    assert_eq!(found(b"first", 1999).await, Some(token.id));
    assert_eq!(found(b"first", 2000).await, None);
    assert_eq!(found(b"second", 2000).await, Some(token.id));
    assert!(rotate("sk-three", b"third", None).await);
    assert_eq!(found(b"first", 1).await, None);
    assert_eq!(found(b"second", 1).await, None);
    let token = tokens::get(store.read(), token.id).await.unwrap().unwrap();
    assert_eq!(
        (token.prefix.as_str(), token.previous_hash),
        ("sk-three", None)
    );
}

async fn tokens_are_listed_by_owner_and_name(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    for secret in ["1", "22", "333"] {
        add(&store, ann, secret.as_bytes(), TokenChanges::default()).await;
    }
    add(&store, bob, b"4444", TokenChanges::default()).await;
    let names = async |filter: TokenFilter, page: Page| -> (u64, Vec<String>) {
        let listed = tokens::list(store.read(), &filter, page).await.unwrap();
        (
            listed.total,
            listed.items.into_iter().map(|token| token.name).collect(),
        )
    };
    let of_ann = TokenFilter {
        user_id: Some(ann),
        ..TokenFilter::default()
    };
    let page = Page { number: 2, size: 2 };
    assert_eq!(names(of_ann, page).await, (3, vec!["token 1".to_owned()]));
    let searched = TokenFilter {
        search: Some("n 4".to_owned()),
        ..TokenFilter::default()
    };
    assert_eq!(names(searched, ALL).await, (1, vec!["token 4".to_owned()]));
    for (text, found) in [
        ("4", 1),
        ("en", 4),
        ("TOKEN", 4),
        ("token_", 0),
        ("\"ok", 0),
        ("nothing", 0),
    ] {
        let searched = TokenFilter {
            search: Some(text.to_owned()),
            ..TokenFilter::default()
        };
        let count = names(searched, ALL).await.0;
        assert_eq!(count, found, "{text}");
    }
    let disabled = TokenFilter {
        status: Some(Status::Disabled),
        ..TokenFilter::default()
    };
    assert_eq!(names(disabled, ALL).await, (0, vec![]));
}

async fn usage_of_a_token_is_exact_under_16_racing_tasks(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let id = add(&store, user, b"a", TokenChanges::default()).await.id;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let usage = TokenUsage {
                    id,
                    nanos: 11,
                    last_used_at: 2000,
                };
                tokens::add_usage(&transaction, [usage]).await.unwrap();
                transaction.commit().await.unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let token = tokens::get(store.read(), id).await.unwrap().unwrap();
    assert_eq!((token.used_nanos, token.last_used_at), (176, Some(2000)));
}

async fn a_channel(store: &Store, name: &str, rest: ChannelChanges) -> Channel {
    let new = NewChannel {
        name: name.to_owned(),
        provider: "openai".to_owned(),
        base_url: "http://127.0.0.1:8000/v1".to_owned(),
        is_declared: true,
    };
    let transaction = store.write().await.unwrap();
    let channel = channels::insert(&transaction, new, rest, 1000)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    channel
}

async fn a_channel_keeps_every_field(place: Place) {
    let store = place.open().await;
    let plain = a_channel(&store, "plain", ChannelChanges::default()).await;
    assert_eq!(
        (plain.state, plain.weight, plain.priority),
        (ChannelState::On, 1, 0)
    );
    assert_eq!(
        (plain.dialects, plain.overrides, plain.proxy),
        (None, None, None)
    );

    let exact = json!({"body": {"temperature": 0.10, "seed": 12_345_678_901_234_567_890_u64}});
    let rest = ChannelChanges {
        models: Some(vec!["fast".to_owned()]),
        model_mapping: Some(BTreeMap::from([("fast".to_owned(), "llama-4".to_owned())])),
        groups: Some(vec!["vip".to_owned()]),
        tags: Some(vec!["eu".to_owned()]),
        dialects: Some(Some(vec!["chat".to_owned()])),
        priority: Some(-3),
        weight: Some(0),
        rpm: Some(Some(1)),
        tpm: Some(Some(2)),
        concurrency: Some(Some(3)),
        connect_timeout_ms: Some(Some(4)),
        first_byte_timeout_ms: Some(Some(5)),
        idle_timeout_ms: Some(Some(6)),
        overrides: Some(Some(exact.clone())),
        proxy: Some(Some("http://proxy:3128".to_owned())),
        ..ChannelChanges::default()
    };
    let full = a_channel(&store, "full", rest).await;
    assert_eq!(full.overrides, Some(Document(exact)));
    assert_eq!(
        channels::get(store.read(), full.id).await.unwrap(),
        Some(full.clone())
    );

    let transaction = store.write().await.unwrap();
    let changes = ChannelChanges {
        state: Some(ChannelState::Paused),
        state_reason: Some(Some("401".to_owned())),
        dialects: Some(None),
        overrides: Some(None),
        concurrency: Some(None),
        ..ChannelChanges::default()
    };
    let updated = channels::update(&transaction, full.id, changes, 2000)
        .await
        .unwrap()
        .unwrap();
    let nothing = channels::update(&transaction, ChannelId(999), ChannelChanges::default(), 1);
    assert_eq!(nothing.await.unwrap(), None);
    transaction.commit().await.unwrap();
    let expected = Channel {
        state: ChannelState::Paused,
        state_reason: Some("401".to_owned()),
        dialects: None,
        overrides: None,
        concurrency: None,
        updated_at: 2000,
        ..full
    };
    assert_eq!(updated, expected);

    let transaction = store.write().await.unwrap();
    let changes = ChannelChanges {
        name: Some("plain".to_owned()),
        ..ChannelChanges::default()
    };
    let error = channels::update(&transaction, updated.id, changes, 3000)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");
}

async fn channels_are_listed_by_filter(place: Place) {
    let store = place.open().await;
    for name in ["eu-1", "eu-2", "us-1"] {
        a_channel(&store, name, ChannelChanges::default()).await;
    }
    let off = ChannelChanges {
        state: Some(ChannelState::Off),
        ..ChannelChanges::default()
    };
    a_channel(&store, "us-2", off).await;
    let total = async |filter: ChannelFilter| {
        channels::list(store.read(), &filter, ALL)
            .await
            .unwrap()
            .total
    };
    for search in ["eu", "EU"] {
        let filter = ChannelFilter {
            search: Some(search.to_owned()),
            ..ChannelFilter::default()
        };
        assert_eq!(total(filter).await, 2, "{search}");
    }
    let filter = ChannelFilter {
        state: Some(ChannelState::Off),
        ..ChannelFilter::default()
    };
    assert_eq!(total(filter).await, 1);
    let filter = ChannelFilter {
        provider: Some("demo".to_owned()),
        ..ChannelFilter::default()
    };
    assert_eq!(total(filter).await, 0);
    let tagged = ChannelChanges {
        tags: Some(vec!["fast".to_owned(), "eu\"".to_owned()]),
        models: Some(vec!["gpt-4o".to_owned()]),
        groups: Some(vec!["vip".to_owned()]),
        ..ChannelChanges::default()
    };
    a_channel(&store, "zz-tagged", tagged).await;
    for (tag, model, group, found) in [
        (Some("fast"), None, None, 1),
        (Some("eu\""), None, None, 1),
        (Some("fas"), None, None, 0),
        (None, Some("gpt-4o"), None, 1),
        (None, Some("gpt-4"), None, 0),
        (None, None, Some("vip"), 1),
        (Some("fast"), None, Some("other"), 0),
    ] {
        let filter = ChannelFilter {
            tag: tag.map(str::to_owned),
            model: model.map(str::to_owned),
            group: group.map(str::to_owned),
            ..ChannelFilter::default()
        };
        assert_eq!(total(filter).await, found, "{tag:?} {model:?} {group:?}");
    }
    let all = channels::all(store.read()).await.unwrap();
    assert_eq!(
        all.iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        "eu-1 eu-2 us-1 us-2 zz-tagged"
    );
}

fn key(secret: &[u8], rpm: Option<i64>) -> NewChannelKey {
    NewChannelKey {
        secret_encrypted: secret.to_vec(),
        pinned_host: "127.0.0.1".to_owned(),
        rpm,
        ..NewChannelKey::default()
    }
}

async fn replace(store: &Store, channel: ChannelId, keys: Vec<NewChannelKey>) {
    let transaction = store.write().await.unwrap();
    channel_keys::replace(&transaction, channel, keys, 1000)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

async fn the_keys_of_a_channel_are_replaced_and_go_with_it(place: Place) {
    let store = place.open().await;
    let one = a_channel(&store, "one", ChannelChanges::default()).await.id;
    let two = a_channel(&store, "two", ChannelChanges::default()).await.id;
    replace(&store, one, vec![key(b"old", None)]).await;
    replace(&store, one, vec![key(b"a", None), key(&[0, 255], Some(9))]).await;
    replace(&store, two, vec![key(b"b", None)]).await;
    let keys = channel_keys::list(store.read(), one).await.unwrap();
    let seen: Vec<_> = keys
        .iter()
        .map(|key| (key.position, key.secret_encrypted.as_slice(), key.rpm))
        .collect();
    assert_eq!(
        seen,
        [
            (0, b"a".as_slice(), None),
            (1, [0, 255].as_slice(), Some(9))
        ]
    );
    let counts = channel_keys::counts(store.read()).await.unwrap();
    assert_eq!((counts[&one], counts[&two]), (2, 1));

    let transaction = store.write().await.unwrap();
    assert!(channels::delete(&transaction, one).await.unwrap());
    assert!(!channels::delete(&transaction, one).await.unwrap());
    transaction.commit().await.unwrap();
    let left = channel_keys::all(store.read()).await.unwrap();
    assert_eq!(
        left.iter().map(|key| key.channel_id).collect::<Vec<_>>(),
        [two]
    );
}

async fn the_latest_price_that_has_begun_counts(place: Place) {
    let store = place.open().await;
    let new = |model: &str, effective_from, source, sheet| NewPrice {
        model: model.to_owned(),
        effective_from,
        sheet,
        source,
        created_by: None,
        now: 1,
    };
    let exact = json!({"input": 100_000_000_000_000_000_000_000_u128, "output": "0.40"});
    let transaction = store.write().await.unwrap();
    for (model, from, source, sheet) in [
        ("a", 100, "catalogue", json!(1)),
        ("a", 200, "catalogue", exact.clone()),
        ("a", 900, "catalogue", json!(3)),
        ("a", 150, "administrator", json!(4)),
        ("b", 900, "catalogue", json!(5)),
    ] {
        prices::insert(&transaction, new(model, from, source, sheet))
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();

    let current = prices::current(store.read(), 500).await.unwrap();
    let seen: Vec<_> = current
        .iter()
        .map(|price| (price.source.as_str(), price.effective_from))
        .collect();
    assert_eq!(seen, [("administrator", 150), ("catalogue", 200)]);
    assert_eq!(current[1].sheet, Document(exact));
    let history = prices::history(store.read(), "a").await.unwrap();
    assert_eq!(
        history
            .iter()
            .map(|price| price.effective_from)
            .collect::<Vec<_>>(),
        [900, 200, 150, 100]
    );

    let transaction = store.write().await.unwrap();
    assert!(prices::delete(&transaction, current[1].id).await.unwrap());
    assert!(!prices::delete(&transaction, current[1].id).await.unwrap());
    transaction.commit().await.unwrap();
    let current = prices::current(store.read(), 500).await.unwrap();
    assert_eq!(current[1].effective_from, 100);
    let transaction = store.write().await.unwrap();
    let error = prices::insert(&transaction, new("b", 900, "catalogue", json!(6))).await;
    assert!(matches!(error.unwrap_err(), StoreError::Conflict(_)));
}

async fn settings_are_saved_over_the_version_that_was_read(place: Place) {
    let store = place.open().await;
    assert_eq!(
        settings::load::<Vec<String>>(store.read()).await.unwrap(),
        None
    );
    let save = async |read: i64, text: &str| {
        let transaction = store.write().await?;
        let version = settings::save(&transaction, read, &vec![text], None, 1).await?;
        transaction.commit().await?;
        Ok::<_, StoreError>(version)
    };
    assert_eq!(save(0, "first").await.unwrap(), 1);
    assert!(matches!(
        save(0, "late").await.unwrap_err(),
        StoreError::Stale(_)
    ));
    assert_eq!(save(1, "second").await.unwrap(), 2);
    assert!(matches!(
        save(1, "late").await.unwrap_err(),
        StoreError::Stale(_)
    ));
    let kept = settings::load::<Vec<String>>(store.read()).await.unwrap();
    assert_eq!(
        kept,
        Some(Versioned {
            version: 2,
            document: vec!["second".to_owned()]
        })
    );
    let error = settings::load::<i64>(store.read()).await.unwrap_err();
    assert!(matches!(error, StoreError::Document(_)), "{error}");
}

async fn declared_tokens_are_listed(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    add(&store, user, b"by hand", TokenChanges::default()).await;
    let new = NewToken {
        user_id: user,
        name: "ci".to_owned(),
        prefix: "sk-abc".to_owned(),
        secret_hash: b"declared".to_vec(),
        is_declared: true,
        now: 1,
    };
    let transaction = store.write().await.unwrap();
    let token = tokens::insert(&transaction, new, TokenChanges::default())
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(tokens::declared(store.read()).await.unwrap(), [token]);
}

async fn work_that_is_done_alone_is_done_by_one_at_a_time(place: Place) {
    let store = place.open().await;
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                store::alone(&transaction, store::Alone::Declarations)
                    .await
                    .unwrap();
                // What a check before a write needs: nobody comes between.
                if store::groups::get(&transaction, "once")
                    .await
                    .unwrap()
                    .is_none()
                {
                    store::groups::insert(&transaction, "once", "", 1, 1)
                        .await
                        .unwrap();
                }
                transaction.commit().await.unwrap();
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
}

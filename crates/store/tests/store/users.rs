//! Users and groups.

use store::names::{Named, names};
use store::users::{self, NewUser, Role, Status, UserChanges, UserFilter, UserUsage};
use store::{Page, Store, StoreError, UserId, groups, referrals, two_factor};

use crate::support::{Place, a_user, default_group};

on_both_engines!(
    a_user_is_found_by_name_and_address_in_any_case,
    absent_fields_stay_and_null_clears,
    taken_names_are_refused_until_their_user_is_deleted,
    users_are_listed_in_pages_by_filter,
    wildcards_in_a_search_mean_themselves,
    raising_the_auth_version_is_exact_under_16_racing_tasks,
    groups_are_kept_while_somebody_is_in_them,
    deleted_users_do_not_keep_a_group,
    many_users_are_described_at_once,
    limits_of_users_and_groups_are_kept_and_cleared,
    the_first_root_is_found_until_deleted,
    names_are_found_by_ids_as_far_as_there_are_any,
    taken_names_and_addresses_are_found_among_many,
);

const ALL: Page = Page {
    number: 1,
    size: 100,
};

fn named(username: &str, email: Option<&str>) -> NewUser {
    NewUser {
        username: username.to_owned(),
        email: email.map(str::to_owned),
        display_name: String::new(),
        password_hash: None,
        role: Role::User,
        group_name: "default".to_owned(),
        aff_code: format!("code-{username}"),
        inviter_id: None,
        created_at: 1,
    }
}

async fn add(store: &Store, new: NewUser) -> store::Result<UserId> {
    let transaction = store.write().await?;
    let user = users::insert(&transaction, new).await?;
    transaction.commit().await?;
    Ok(user.id)
}

async fn a_user_is_found_by_name_and_address_in_any_case(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    let id = add(&store, named("Élodie", Some("El@Example.org")))
        .await
        .unwrap();
    for login in ["élodie", "ÉLODIE", " el@example.ORG "] {
        let found = users::find_by_login(store.read(), login).await.unwrap();
        assert_eq!(found.map(|user| user.id), Some(id), "{login}");
    }
    assert_eq!(
        users::find_by_login(store.read(), "elodie").await.unwrap(),
        None
    );
    let by_code = users::find_by_aff_code(store.read(), "code-Élodie")
        .await
        .unwrap();
    assert_eq!(by_code.map(|user| user.id), Some(id));
}

async fn absent_fields_stay_and_null_clears(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    let id = add(&store, named("ann", Some("ann@example.org")))
        .await
        .unwrap();
    let before = users::get(store.read(), id).await.unwrap().unwrap();
    assert_eq!(before.password_hash, None);
    assert_eq!(before.last_login_at, None);

    let transaction = store.write().await.unwrap();
    let untouched = users::update(&transaction, id, UserChanges::default())
        .await
        .unwrap();
    assert_eq!(untouched.as_ref(), Some(&before));
    let changes = UserChanges {
        email: Some(None),
        password_hash: Some(Some("argon2".to_owned())),
        role: Some(Role::Administrator),
        status: Some(Status::Disabled),
        last_login_at: Some(Some(7)),
        budget_total_nanos: Some(Some(100)),
        budget_daily_nanos: Some(Some(10)),
        budget_weekly_nanos: Some(Some(20)),
        budget_monthly_nanos: Some(Some(30)),
        ..UserChanges::default()
    };
    let after = users::update(&transaction, id, changes)
        .await
        .unwrap()
        .unwrap();
    let nobody = users::update(&transaction, UserId(999), UserChanges::default())
        .await
        .unwrap();
    assert_eq!(nobody, None);
    transaction.commit().await.unwrap();

    let expected = users::User {
        email: None,
        email_key: None,
        password_hash: Some("argon2".to_owned()),
        role: Role::Administrator,
        status: Status::Disabled,
        last_login_at: Some(7),
        budget_total_nanos: Some(100),
        budget_daily_nanos: Some(10),
        budget_weekly_nanos: Some(20),
        budget_monthly_nanos: Some(30),
        ..before
    };
    assert_eq!(after, expected);
    assert_eq!(users::get(store.read(), id).await.unwrap(), Some(expected));
}

async fn taken_names_are_refused_until_their_user_is_deleted(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    let first = add(&store, named("ann", Some("ann@example.org")))
        .await
        .unwrap();
    let mut second = named("ANN", None);
    second.aff_code = String::from("other");
    let error = add(&store, second.clone()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");

    let transaction = store.write().await.unwrap();
    assert!(users::delete(&transaction, first, 5).await.unwrap());
    assert!(!users::delete(&transaction, first, 6).await.unwrap());
    transaction.commit().await.unwrap();
    assert_eq!(users::get(store.read(), first).await.unwrap(), None);
    let second = add(&store, second).await.unwrap();
    let found = users::find_by_login(store.read(), "ann").await.unwrap();
    assert_eq!(found.map(|user| user.id), Some(second));
}

async fn users_are_listed_in_pages_by_filter(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    for number in 0..5 {
        a_user(&store, &format!("user{number}")).await;
    }
    let mut administrator = named("boss", None);
    administrator.role = Role::Administrator;
    add(&store, administrator).await.unwrap();

    let page = Page { number: 2, size: 4 };
    let listed = users::list(store.read(), &UserFilter::default(), page)
        .await
        .unwrap();
    let names: Vec<_> = listed
        .items
        .iter()
        .map(|user| user.username.as_str())
        .collect();
    assert_eq!((listed.total, names), (6, vec!["user1", "user0"]));

    let filter = UserFilter {
        role: Some(Role::Administrator),
        ..UserFilter::default()
    };
    assert_eq!(
        users::list(store.read(), &filter, ALL).await.unwrap().total,
        1
    );
    let filter = UserFilter {
        search: Some("SER3".to_owned()),
        group_name: Some("default".to_owned()),
        status: Some(Status::Enabled),
        ..UserFilter::default()
    };
    let listed = users::list(store.read(), &filter, ALL).await.unwrap();
    assert_eq!(listed.items[0].username, "user3");
    assert_eq!(listed.total, 1);
}

async fn wildcards_in_a_search_mean_themselves(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    add(&store, named("a_b", None)).await.unwrap();
    let shown = NewUser {
        display_name: "Jo Smith".to_owned(),
        ..named("axb", None)
    };
    add(&store, shown).await.unwrap();
    for (search, total) in [
        ("a_b", 1),
        ("%", 0),
        ("\\", 0),
        ("b", 2),
        ("A_B", 1),
        ("jo s", 1),
        ("JO_S", 0),
    ] {
        let filter = UserFilter {
            search: Some(search.to_owned()),
            ..UserFilter::default()
        };
        let listed = users::list(store.read(), &filter, ALL).await.unwrap();
        assert_eq!(listed.total, total, "{search}");
    }
}

async fn raising_the_auth_version_is_exact_under_16_racing_tasks(place: Place) {
    let store = place.open().await;
    let id = a_user(&store, "ann").await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let version = users::raise_auth_version(&transaction, id).await.unwrap();
                let usage = UserUsage {
                    id,
                    nanos: 3,
                    requests: 1,
                };
                users::add_usage(&transaction, [usage]).await.unwrap();
                transaction.commit().await.unwrap();
                version.expect("the user exists")
            })
        })
        .collect();
    let mut seen = Vec::new();
    for task in tasks {
        seen.push(task.await.unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=16).collect::<Vec<_>>());
    let user = users::get(store.read(), id).await.unwrap().unwrap();
    assert_eq!((user.used_nanos, user.request_count), (48, 16));
}

async fn deleted_users_do_not_keep_a_group(place: Place) {
    let store = place.open().await;
    a_user(&store, "ann").await;
    let transaction = store.write().await.unwrap();
    let vip = groups::insert(&transaction, "vip", "", 1_000_000, 1)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let bob = NewUser {
        group_name: "vip".to_owned(),
        ..named("bob", None)
    };
    let bob = add(&store, bob).await.unwrap();
    let members = groups::members(store.read()).await.unwrap();
    assert_eq!((members["default"].users, members["vip"].users), (1, 1));
    let transaction = store.write().await.unwrap();
    users::delete(&transaction, bob, 2).await.unwrap();
    groups::leave_behind(&transaction, "vip", "default")
        .await
        .unwrap();
    assert!(groups::delete(&transaction, vip.id).await.unwrap());
    transaction.commit().await.unwrap();
    let members = groups::members(store.read()).await.unwrap();
    assert_eq!(members["default"].users, 1);
}

async fn many_users_are_described_at_once(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    let root = NewUser {
        role: Role::Root,
        ..named("root", None)
    };
    let root = add(&store, root).await.unwrap();
    let transaction = store.write().await.unwrap();
    two_factor::set_up(&transaction, ann, b"sealed", &[], 1)
        .await
        .unwrap();
    two_factor::enable(&transaction, ann, 1, 2).await.unwrap();
    two_factor::set_up(&transaction, root, b"sealed", &[], 1)
        .await
        .unwrap();
    referrals::insert(&transaction, ann, root, 1).await.unwrap();
    transaction.commit().await.unwrap();
    let with_factor = two_factor::enabled_among(store.read(), &[ann, root]).await;
    assert_eq!(with_factor.unwrap(), [ann].into());
    let invited = referrals::counts(store.read(), &[ann, root]).await;
    assert_eq!(invited.unwrap(), [(root, 1)].into());
    let others = async |id| users::other_roots(store.read(), id).await.unwrap();
    assert_eq!((others(ann).await, others(root).await), (1, 0));
}

async fn groups_are_kept_while_somebody_is_in_them(place: Place) {
    let store = place.open().await;
    a_user(&store, "ann").await;
    let transaction = store.write().await.unwrap();
    let vip = groups::insert(&transaction, "vip", "friends", 900_000, 1)
        .await
        .unwrap();
    let discount = groups::GroupChanges {
        multiplier_ppm: Some(500_000),
        ..groups::GroupChanges::default()
    };
    let vip_now = groups::update(&transaction, vip.id, discount)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (vip_now.multiplier_ppm, vip_now.description.as_str()),
        (500_000, "friends")
    );
    transaction.commit().await.unwrap();

    let names = |listed: Vec<groups::Group>| -> Vec<String> {
        listed.into_iter().map(|group| group.name).collect()
    };
    assert_eq!(
        names(groups::list(store.read()).await.unwrap()),
        ["default", "vip"]
    );
    let used = groups::get(store.read(), "default").await.unwrap().unwrap();
    let transaction = store.write().await.unwrap();
    let error = groups::delete(&transaction, used.id).await.unwrap_err();
    assert!(matches!(error, StoreError::Reference(_)), "{error}");
    drop(transaction);
    let transaction = store.write().await.unwrap();
    assert!(groups::delete(&transaction, vip.id).await.unwrap());
    assert!(!groups::delete(&transaction, vip.id).await.unwrap());
    let nothing = groups::update(&transaction, vip.id, groups::GroupChanges::default());
    assert_eq!(nothing.await.unwrap(), None);
    transaction.commit().await.unwrap();
}

async fn limits_of_users_and_groups_are_kept_and_cleared(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    let transaction = store.write().await.unwrap();
    let vip = groups::insert(&transaction, "vip", "", 1_000_000, 1)
        .await
        .unwrap();
    let of_user = UserChanges {
        rpm: Some(Some(60)),
        tpm: Some(Some(10_000)),
        concurrency: Some(Some(4)),
        ..UserChanges::default()
    };
    users::update(&transaction, ann, of_user).await.unwrap();
    let of_group = groups::GroupChanges {
        rpm: Some(Some(600)),
        concurrency: Some(Some(40)),
        ..groups::GroupChanges::default()
    };
    groups::update(&transaction, vip.id, of_group)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let user = users::get(store.read(), ann).await.unwrap().unwrap();
    assert_eq!(
        (user.rpm, user.tpm, user.concurrency),
        (Some(60), Some(10_000), Some(4))
    );
    let group = groups::get(store.read(), "vip").await.unwrap().unwrap();
    assert_eq!(
        (group.rpm, group.tpm, group.concurrency),
        (Some(600), None, Some(40))
    );

    let transaction = store.write().await.unwrap();
    let cleared = UserChanges {
        rpm: Some(None),
        ..UserChanges::default()
    };
    let user = users::update(&transaction, ann, cleared)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((user.rpm, user.tpm), (None, Some(10_000)));
}

async fn the_first_root_is_found_until_deleted(place: Place) {
    let store = place.open().await;
    assert_eq!(users::first_root(store.read()).await.unwrap(), None);
    a_user(&store, "ann").await;
    let root = a_user(&store, "root").await;
    let transaction = store.write().await.unwrap();
    let raised = UserChanges {
        role: Some(Role::Root),
        ..UserChanges::default()
    };
    users::update(&transaction, root, raised).await.unwrap();
    transaction.commit().await.unwrap();
    let found = users::first_root(store.read()).await.unwrap();
    assert_eq!(found.unwrap().id, root);
    let transaction = store.write().await.unwrap();
    users::delete(&transaction, root, 5).await.unwrap();
    assert_eq!(users::first_root(&transaction).await.unwrap(), None);
}

async fn names_are_found_by_ids_as_far_as_there_are_any(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let ids = [bob.0, ann.0, bob.0, 999];
    let found = names(store.read(), Named::Users, ids).await.unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[&ann.0], "ann");
    let none = names(store.read(), Named::Channels, []).await.unwrap();
    assert!(none.is_empty());
    let none = names(store.read(), Named::Tokens, [1]).await.unwrap();
    assert!(none.is_empty());
}

async fn taken_names_and_addresses_are_found_among_many(place: Place) {
    let store = place.open().await;
    default_group(&store).await;
    add(&store, named("Ann", Some("Ann@Example.org")))
        .await
        .unwrap();
    add(&store, named("bob", None)).await.unwrap();
    let gone = add(&store, named("cid", Some("cid@example.org")))
        .await
        .unwrap();
    let transaction = store.write().await.unwrap();
    users::delete(&transaction, gone, 2).await.unwrap();
    transaction.commit().await.unwrap();
    let free: Vec<String> = (0..1_200).map(|number| format!("free-{number}")).collect();
    let mut names: Vec<&str> = free.iter().map(String::as_str).collect();
    names.extend([
        " ANN ",
        "BOB",
        "cid",
        "cid@example.org",
        "other@example.org",
    ]);
    let taken = users::taken_among(store.read(), &names).await.unwrap();
    assert_eq!(taken, ["ann", "bob"].map(str::to_owned).into());
    let by_address = users::taken_among(store.read(), &["ann@example.ORG"]).await;
    assert_eq!(by_address.unwrap(), ["ann@example.org".to_owned()].into());
    assert!(
        users::taken_among(store.read(), &[])
            .await
            .unwrap()
            .is_empty()
    );
}

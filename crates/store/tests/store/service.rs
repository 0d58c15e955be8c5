//! Announcements and kept responses.

use sea_orm::{ConnectionTrait as _, Statement};
use store::StoreError;
use store::announcements::{self, NewAnnouncement};
use store::responses::{self, StoredResponse};
use store::users::{self, UserChanges};

use crate::support::{Place, a_user};

on_both_engines!(
    an_announcement_is_shown_for_its_time,
    a_response_is_kept_for_its_owner_and_its_time,
    items_are_found_by_their_owner_while_the_response_that_made_them_is_kept,
    nothing_personal_is_kept_of_a_deleted_user,
    a_cancelled_response_is_not_completed_after_all,
    a_response_that_nobody_makes_any_more_is_failed_once,
);

async fn an_announcement_is_shown_for_its_time(place: Place) {
    let store = place.open().await;
    let new = |title: &str, starts_at, ends_at| NewAnnouncement {
        audience: "everyone",
        title: title.to_owned(),
        body: "text".to_owned(),
        level: "notice",
        starts_at,
        ends_at,
        created_by: None,
        now: 1,
    };
    let transaction = store.write().await.unwrap();
    let lasting = announcements::insert(&transaction, new("lasting", 100, None))
        .await
        .unwrap();
    announcements::insert(&transaction, new("short", 200, Some(300)))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let shown = async |at: i64| -> Vec<String> {
        let current = announcements::current(store.read(), at).await.unwrap();
        current.into_iter().map(|one| one.title).collect()
    };
    assert_eq!(shown(99).await, Vec::<String>::new());
    assert_eq!(shown(299).await, ["short", "lasting"]);
    assert_eq!(shown(300).await, ["lasting"]);
    let transaction = store.write().await.unwrap();
    let renamed = announcements::Announcement {
        title: "renamed".to_owned(),
        ..announcements::get(&transaction, lasting.id)
            .await
            .unwrap()
            .unwrap()
    };
    let updated = announcements::update(&transaction, &renamed).await.unwrap();
    assert_eq!(updated, Some(renamed));
    transaction.commit().await.unwrap();
    assert_eq!(announcements::list(store.read()).await.unwrap().len(), 2);

    let transaction = store.write().await.unwrap();
    assert!(
        announcements::end(&transaction, lasting.id, 400)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();
    assert_eq!(shown(400).await, Vec::<String>::new());
    let transaction = store.write().await.unwrap();
    assert!(
        announcements::delete(&transaction, lasting.id)
            .await
            .unwrap()
    );
    assert!(
        !announcements::delete(&transaction, lasting.id)
            .await
            .unwrap()
    );
    assert!(
        !announcements::end(&transaction, lasting.id, 400)
            .await
            .unwrap()
    );
}

fn response(id: &str, user_id: store::UserId) -> StoredResponse {
    StoredResponse {
        id: id.to_owned(),
        user_id,
        previous_id: None,
        status: "in_progress".to_owned(),
        content_encrypted: vec![0, 1, 255],
        created_at: 1000,
        expires_at: 2000,
        node_id: None,
        alive_at: None,
    }
}

async fn nothing_personal_is_kept_of_a_deleted_user(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let transaction = store.write().await.unwrap();
    for (id, owner) in [("resp_1", ann), ("resp_2", bob)] {
        let kept = responses::insert(&transaction, response(id, owner)).await;
        kept.unwrap();
        let address = UserChanges {
            email: Some(Some(format!("{id}@example.org"))),
            ..UserChanges::default()
        };
        let changed = users::update(&transaction, owner, address).await;
        changed.unwrap();
    }
    assert!(users::delete(&transaction, ann, 1500).await.unwrap());
    transaction.commit().await.unwrap();
    let left = async |text: &str| {
        let records = store.read();
        let text = Statement::from_string(records.get_database_backend(), text);
        let rows = records.query_all_raw(text).await.unwrap();
        let values = rows.iter().map(|row| row.try_get_by_index(0).unwrap());
        values.collect::<Vec<String>>()
    };
    let addresses = "SELECT email FROM users WHERE email IS NOT NULL OR email_key IS NOT NULL";
    assert_eq!(left(addresses).await, ["resp_2@example.org"]);
    assert_eq!(left("SELECT id FROM responses").await, ["resp_2"]);
}

async fn items_are_found_by_their_owner_while_the_response_that_made_them_is_kept(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let transaction = store.write().await.unwrap();
    for (id, owner, items) in [
        ("resp_1", ann, ids(&["msg_1", "fc_1"])),
        ("resp_2", bob, ids(&["msg_1"])),
        ("resp_3", ann, ids(&["msg_3", "fc_1"])),
    ] {
        let kept = responses::insert(&transaction, response(id, owner)).await;
        kept.unwrap();
        let noted = responses::note_items(&transaction, id, &items).await;
        noted.unwrap();
    }
    transaction.commit().await.unwrap();
    let makers = async |owner, items: &[&str]| {
        let found = responses::makers_of(store.read(), owner, &ids(items)).await;
        let mut found = found.unwrap();
        found.sort();
        found
    };
    assert_eq!(makers(ann, &["msg_1"]).await, ["resp_1"]);
    assert_eq!(makers(bob, &["msg_1", "msg_3"]).await, ["resp_2"]);
    // The later one counts.
    assert_eq!(makers(ann, &["fc_1", "msg_3"]).await, ["resp_3", "resp_3"]);
    assert!(makers(ann, &[]).await.is_empty());
    let transaction = store.write().await.unwrap();
    let gone = responses::delete(&transaction, ann, "resp_3").await;
    assert!(gone.unwrap());
    transaction.commit().await.unwrap();
    assert!(makers(ann, &["fc_1", "msg_3"]).await.is_empty());
}

async fn a_response_is_kept_for_its_owner_and_its_time(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let kept = response("resp_1", ann);
    let next = StoredResponse {
        previous_id: Some("resp_1".to_owned()),
        ..response("resp_2", ann)
    };
    let transaction = store.write().await.unwrap();
    responses::insert(&transaction, kept.clone()).await.unwrap();
    responses::insert(&transaction, next.clone()).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(
        responses::get(store.read(), ann, "resp_1", 1999)
            .await
            .unwrap(),
        Some(kept)
    );
    assert_eq!(
        responses::get(store.read(), ann, "resp_2", 1999)
            .await
            .unwrap(),
        Some(next)
    );
    assert_eq!(
        responses::get(store.read(), ann, "resp_1", 2000)
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        responses::get(store.read(), bob, "resp_1", 1999)
            .await
            .unwrap(),
        None
    );

    let transaction = store.write().await.unwrap();
    assert!(
        !responses::delete(&transaction, bob, "resp_1")
            .await
            .unwrap()
    );
    assert!(
        responses::delete(&transaction, ann, "resp_1")
            .await
            .unwrap()
    );
    assert_eq!(
        responses::delete_expired(&transaction, 1999).await.unwrap(),
        0
    );
    assert_eq!(
        responses::delete_expired(&transaction, 2000).await.unwrap(),
        1
    );
}

async fn a_cancelled_response_is_not_completed_after_all(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let transaction = store.write().await.unwrap();
    responses::insert(&transaction, response("r", user))
        .await
        .unwrap();
    let cancel = responses::advance(&transaction, "r", "in_progress", "cancelled", vec![2]);
    assert!(cancel.await.unwrap());
    let complete = responses::advance(&transaction, "r", "in_progress", "completed", vec![3]);
    assert!(!complete.await.unwrap());
    let kept = responses::get(&transaction, user, "r", 1500)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (kept.status.as_str(), kept.content_encrypted),
        ("cancelled", vec![2])
    );
    transaction.commit().await.unwrap();
    let transaction = store.write().await.unwrap();
    let error = responses::insert(&transaction, response("r", user))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");
}

async fn a_response_that_nobody_makes_any_more_is_failed_once(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let made_by = |id: &str, node: &str| StoredResponse {
        node_id: Some(node.to_owned()),
        alive_at: Some(1000),
        ..response(id, user)
    };
    let at_rest = StoredResponse {
        status: "completed".to_owned(),
        ..made_by("rest", "gone")
    };
    let unsaid = response("unsaid", user);
    let transaction = store.write().await.unwrap();
    for one in [
        made_by("a", "gone"),
        made_by("b", "here"),
        made_by("c", "gone"),
        at_rest,
        unsaid,
    ] {
        responses::insert(&transaction, one).await.unwrap();
    }
    let cancel = responses::advance(&transaction, "c", "in_progress", "cancelled", vec![2]);
    assert!(cancel.await.unwrap());
    let ids = ["b", "c", "rest", "nobody's"].map(str::to_owned);
    let wanted = responses::renew(&transaction, &ids, 1500).await.unwrap();
    assert_eq!(wanted.into_iter().collect::<Vec<_>>(), ["b"]);
    transaction.commit().await.unwrap();

    let ids = |found: Vec<StoredResponse>| -> Vec<String> {
        found.into_iter().map(|one| one.id).collect()
    };
    let silent = async |since, unsaid| {
        let found = responses::silent(store.read(), since, unsaid, 10).await;
        found.unwrap()
    };
    assert_eq!(ids(silent(1000, 1000).await), Vec::<String>::new());
    assert_eq!(ids(silent(1500, 1000).await), ["a"]);
    assert_eq!(ids(silent(1501, 1001).await), ["a", "b", "unsaid"]);
    let of_node = async |node: &str| {
        let found = responses::unfinished_of(store.read(), node, 10).await;
        ids(found.unwrap())
    };
    assert_eq!(of_node("gone").await, ["a"]);
    assert_eq!(of_node("here").await, ["b"]);

    let seen = silent(1501, 1001).await;
    let transaction = store.write().await.unwrap();
    let alive = ["b".to_owned()];
    responses::renew(&transaction, &alive, 1600).await.unwrap();
    let mut failed = Vec::new();
    for one in seen.iter().chain(&seen) {
        failed.push(responses::fail(&transaction, one, vec![9]).await.unwrap());
    }
    assert_eq!(failed, [true, false, true, false, false, false]);
    let kept = responses::get(&transaction, user, "a", 1999).await.unwrap();
    let kept = kept.unwrap();
    assert_eq!(
        (kept.status.as_str(), kept.content_encrypted),
        ("failed", vec![9])
    );
    transaction.commit().await.unwrap();
}

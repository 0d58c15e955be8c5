//! Incidents: one open for a cause however many nodes see it, closed once, told once.

use serde_json::json;
use store::incidents::{self, DeliveryState, EventKind, IncidentFilter, Severity, Sighting};
use store::{ChannelId, IncidentId, Store};

use crate::support::{Place, a_user};

on_both_engines!(
    a_cause_has_one_open_incident_however_many_nodes_see_it,
    an_incident_closes_once_when_nobody_sees_it_any_more,
    what_a_person_closed_stays_quiet_for_a_while,
    a_timeline_is_in_order_and_follows_the_channel,
    what_nodes_do_by_themselves_is_one_entry_of_the_open_incident,
    a_delivery_is_claimed_by_one_and_tried_again_later,
    pages_go_on_where_the_last_one_ended,
);

fn seen(cause: &str, since: i64) -> Sighting {
    Sighting {
        rule: "channel_down",
        cause: cause.to_owned(),
        severity: Severity::Warning,
        title: format!("{cause} is down"),
        summary: "it fails".to_owned(),
        channel_id: Some(ChannelId(7)),
        model: None,
        facts: json!({"reason": "status 500"}),
        since,
    }
}

async fn open(store: &Store, cause: &str, now: i64) -> Option<IncidentId> {
    let transaction = store.write().await.unwrap();
    let opened = incidents::open(&transaction, &seen(cause, now), "one", 0, now).await;
    transaction.commit().await.unwrap();
    opened.unwrap().map(|incident| incident.id)
}

async fn a_cause_has_one_open_incident_however_many_nodes_see_it(place: Place) {
    let store = place.open().await;
    let many = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { open(&store, "channel:7", 1000).await })
    });
    let mut opened = Vec::new();
    for one in many.collect::<Vec<_>>() {
        opened.extend(one.await.unwrap());
    }
    assert_eq!(opened.len(), 1);
    assert!(open(&store, "channel:8", 1000).await.is_some());
    let transaction = store.write().await.unwrap();
    let worse = Sighting {
        severity: Severity::Critical,
        ..seen("channel:7", 1000)
    };
    assert!(incidents::see(&transaction, &worse, 1500).await.unwrap());
    let unknown = seen("channel:9", 1000);
    assert!(!incidents::see(&transaction, &unknown, 1500).await.unwrap());
    transaction.commit().await.unwrap();
    let incident = incidents::get(store.read(), opened[0])
        .await
        .unwrap()
        .unwrap();
    assert_eq!(incident.severity, Severity::Critical);
    assert_eq!((incident.opened_at, incident.last_seen_at), (1000, 1500));
    assert_eq!(incidents::open_count(store.read()).await.unwrap(), 2);
}

async fn an_incident_closes_once_when_nobody_sees_it_any_more(place: Place) {
    let store = place.open().await;
    let id = open(&store, "channel:7", 1000).await.unwrap();
    let close = async |unseen_since: i64| {
        let transaction = store.write().await.unwrap();
        let closed = incidents::close_unseen(&transaction, unseen_since, 5000).await;
        transaction.commit().await.unwrap();
        closed.unwrap().len()
    };
    assert_eq!(close(1000).await, 0);
    assert_eq!(close(1001).await, 1);
    assert_eq!(close(9999).await, 0);
    let incident = incidents::get(store.read(), id).await.unwrap().unwrap();
    assert_eq!((incident.closed_at, incident.closed_by), (Some(5000), None));
    assert_ne!(open(&store, "channel:7", 6000).await, None);
    let transaction = store.write().await.unwrap();
    assert_eq!(incidents::forget(&transaction, 5000).await.unwrap(), 0);
    assert_eq!(incidents::forget(&transaction, 5001).await.unwrap(), 1);
}

async fn what_a_person_closed_stays_quiet_for_a_while(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    let id = open(&store, "channel:7", 1000).await.unwrap();
    let transaction = store.write().await.unwrap();
    let taken = incidents::acknowledge(&transaction, id, ann, 1100).await;
    assert_eq!(taken.unwrap().unwrap().acknowledged_by, Some(ann));
    let again = incidents::acknowledge(&transaction, id, ann, 1200).await;
    assert_eq!(again.unwrap(), None);
    let closed = incidents::close(&transaction, id, ann, 2000).await;
    assert_eq!(closed.unwrap().unwrap().closed_by, Some(ann));
    assert_eq!(
        incidents::close(&transaction, id, ann, 2000).await.unwrap(),
        None
    );
    let quiet = incidents::open(&transaction, &seen("channel:7", 2100), "one", 1500, 2100).await;
    assert_eq!(quiet.unwrap(), None);
    let later = incidents::open(&transaction, &seen("channel:7", 9000), "one", 8000, 9000).await;
    assert!(later.unwrap().is_some());
}

async fn a_timeline_is_in_order_and_follows_the_channel(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    let id = open(&store, "channel:7", 1000).await.unwrap();
    let transaction = store.write().await.unwrap();
    incidents::note(&transaction, id, EventKind::Opened, None, "it fails", 1000)
        .await
        .unwrap();
    let drained = EventKind::Drained;
    let told = incidents::note_channel(&transaction, ChannelId(7), drained, Some(ann), "", 1001);
    assert_eq!(told.await.unwrap(), 1);
    let other = incidents::note_channel(&transaction, ChannelId(8), drained, Some(ann), "", 1001);
    assert_eq!(other.await.unwrap(), 0);
    transaction.commit().await.unwrap();
    let timeline = incidents::timeline(store.read(), id).await.unwrap();
    let kinds: Vec<_> = timeline.iter().map(|event| event.kind.name()).collect();
    assert_eq!(kinds, ["opened", "drained"]);
    assert_eq!(timeline[1].actor_id, Some(ann));
}

async fn what_nodes_do_by_themselves_is_one_entry_of_the_open_incident(place: Place) {
    let store = place.open().await;
    let note = async |kind, at| {
        let transaction = store.write().await.unwrap();
        let noted = incidents::note_act(&transaction, ChannelId(7), kind, "Key 1 of 2", at).await;
        transaction.commit().await.unwrap();
        noted.unwrap()
    };
    assert_eq!(note(EventKind::Paused, 900).await, 0, "nothing is open");
    let id = open(&store, "channel:7", 1000).await.unwrap();
    assert_eq!(note(EventKind::Paused, 900).await, 1);
    assert_eq!(note(EventKind::Paused, 950).await, 0, "another node");
    assert_eq!(note(EventKind::Unpaused, 2000).await, 1);
    assert_eq!(note(EventKind::Paused, 61_000).await, 1, "once more");
    let events = incidents::timeline(store.read(), id).await.unwrap();
    let times: Vec<_> = events.iter().map(|event| event.created_at).collect();
    assert_eq!(times, [900, 2000, 61_000]);
    for at in 0..400 {
        note(EventKind::Paused, 100_000 * (at + 1)).await;
    }
    let events = incidents::timeline(store.read(), id).await.unwrap();
    assert_eq!(events.len(), 300);
}

async fn a_delivery_is_claimed_by_one_and_tried_again_later(place: Place) {
    let store = place.open().await;
    let id = open(&store, "channel:7", 1000).await.unwrap();
    let transaction = store.write().await.unwrap();
    for _ in 0..2 {
        let asked = incidents::enqueue(&transaction, id, "opened", "webhook", 1000).await;
        asked.unwrap();
    }
    let claimed = incidents::claim_due(&transaction, 1000, 500, 10)
        .await
        .unwrap();
    assert_eq!((claimed.len(), claimed[0].attempts), (1, 1));
    let held = incidents::claim_due(&transaction, 1499, 500, 10)
        .await
        .unwrap();
    assert!(held.is_empty());
    let waiting = DeliveryState::Waiting;
    incidents::finish(&transaction, claimed[0].id, waiting, 3000)
        .await
        .unwrap();
    assert!(
        incidents::claim_due(&transaction, 2999, 500, 10)
            .await
            .unwrap()
            .is_empty()
    );
    let again = incidents::claim_due(&transaction, 3000, 500, 10)
        .await
        .unwrap();
    assert_eq!(again[0].attempts, 2);
    incidents::finish(&transaction, again[0].id, DeliveryState::Sent, 0)
        .await
        .unwrap();
    assert!(
        incidents::claim_due(&transaction, 99_999, 500, 10)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn pages_go_on_where_the_last_one_ended(place: Place) {
    let store = place.open().await;
    for number in 0..5 {
        open(&store, &format!("channel:{number}"), 1000 + number / 2)
            .await
            .unwrap();
    }
    let mut causes = Vec::new();
    let mut cursor = None;
    loop {
        let filter = IncidentFilter {
            is_open: Some(true),
            rule: Some("channel_down".to_owned()),
            severity: Some(Severity::Warning),
            channel_id: Some(ChannelId(7)),
            ..IncidentFilter::default()
        };
        let page = incidents::page(store.read(), &filter, cursor.as_ref(), 2)
            .await
            .unwrap();
        causes.extend(page.items.into_iter().map(|incident| incident.cause));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let expected = [4, 3, 2, 1, 0].map(|number| format!("channel:{number}"));
    assert_eq!(causes, expected);
    let closed = IncidentFilter {
        is_open: Some(false),
        ..IncidentFilter::default()
    };
    let none = incidents::page(store.read(), &closed, None, 10)
        .await
        .unwrap();
    assert!(none.items.is_empty());
}

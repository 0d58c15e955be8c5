//! Long tasks: progress, cancelling, giving up, and that ended ones do not pile up.

use store::tasks::{self, NewTask, Progress, TaskState};
use store::{Store, Told, UserId};

use crate::support::{Place, a_user};

on_both_engines!(
    a_task_goes_on_until_somebody_asks_for_its_end,
    a_silent_task_is_given_up,
    ended_tasks_do_not_pile_up,
);

fn at(done: i64) -> Progress<'static> {
    Progress { done, result: None }
}

async fn begin(store: &Store, id: &str, user_id: UserId, now: i64) {
    let transaction = store.write().await.unwrap();
    let new = NewTask {
        id: id.to_owned(),
        kind: "log_export".to_owned(),
        user_id,
        node_id: "one".to_owned(),
        total: None,
        message: String::new(),
        note: None,
        now,
    };
    tasks::insert(&transaction, new).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn a_task_goes_on_until_somebody_asks_for_its_end(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    begin(&store, "t1", ann, 1000).await;
    assert_eq!(tasks::running(store.read(), ann).await.unwrap(), 1);
    let transaction = store.write().await.unwrap();
    assert!(
        tasks::progress(&transaction, "t1", at(5), 1001)
            .await
            .unwrap()
    );
    assert!(tasks::ask_to_cancel(&transaction, "t1").await.unwrap());
    assert!(
        !tasks::progress(&transaction, "t1", at(6), 1002)
            .await
            .unwrap()
    );
    let ended = tasks::finish(&transaction, "t1", TaskState::Cancelled, at(6), "", 1003).await;
    assert!(ended.unwrap());
    let again = tasks::finish(&transaction, "t1", TaskState::Done, at(7), "", 1004).await;
    assert!(!again.unwrap());
    assert!(!tasks::ask_to_cancel(&transaction, "t1").await.unwrap());
    transaction.commit().await.unwrap();
    let task = tasks::get(store.read(), "t1").await.unwrap().unwrap();
    assert_eq!(
        (task.state, task.done, task.finished_at),
        (TaskState::Cancelled, 6, Some(1003))
    );
}

async fn a_silent_task_is_given_up(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    begin(&store, "old", ann, 1000).await;
    begin(&store, "new", ann, 5000).await;
    let transaction = store.write().await.unwrap();
    let gone = Told {
        text: "gone",
        note: Some("{}"),
    };
    assert_eq!(
        tasks::give_up(&transaction, 4000, gone, 6000)
            .await
            .unwrap(),
        1
    );
    assert!(
        !tasks::progress(&transaction, "old", at(1), 6001)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();
    let old = tasks::get(store.read(), "old").await.unwrap().unwrap();
    assert_eq!((&*old.message, old.note.as_deref()), ("gone", Some("{}")));
    let running = tasks::page(store.read(), Some(ann), Some(TaskState::Running), None, 10);
    let running = running.await.unwrap().items;
    assert_eq!(
        (running.len(), running[0].id.as_str()),
        (1, "new"),
        "only the one that still speaks"
    );
}

async fn ended_tasks_do_not_pile_up(place: Place) {
    let store = place.open().await;
    let ann = a_user(&store, "ann").await;
    let transaction = store.write().await.unwrap();
    for number in 0..1100 {
        let new = NewTask {
            id: format!("t{number:04}"),
            kind: "log_export".to_owned(),
            user_id: ann,
            node_id: "one".to_owned(),
            total: Some(1),
            message: String::new(),
            note: None,
            now: number,
        };
        let task = tasks::insert(&transaction, new).await.unwrap();
        tasks::finish(&transaction, &task.id, TaskState::Done, at(1), "", number)
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();
    assert!(tasks::get(store.read(), "t0000").await.unwrap().is_none());
    assert!(tasks::get(store.read(), "t1099").await.unwrap().is_some());
    let mut seen = 0;
    let mut cursor = None;
    loop {
        let page = tasks::page(store.read(), None, None, cursor.as_ref(), 200)
            .await
            .unwrap();
        seen += page.items.len();
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!((1000..=1002).contains(&seen), "{seen}");
}

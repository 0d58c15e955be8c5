//! Long tasks: seen by whose they are and by administrators, and cancelled by them.

use serde_json::json;
use store::UserId;
use store::tasks::{self, NewTask};

use crate::support::Office;

fn begin(office: &Office, id: &str, user_id: UserId) {
    office.records(async |store| {
        let new = NewTask {
            id: id.to_owned(),
            kind: "log_export".to_owned(),
            user_id,
            node_id: "test".to_owned(),
            total: Some(10),
            message: String::new(),
            note: None,
            now: 1,
        };
        let transaction = store.write().await.expect("the records work");
        let begun = tasks::insert(&transaction, new).await;
        begun.expect("the records work");
        transaction.commit().await.expect("the records work");
    });
}

#[test]
fn administrators_end_tasks_of_those_whom_they_manage_and_it_is_noted() {
    let office = Office::open();
    begin(&office, "t1", office.root.id);
    begin(&office, "t2", office.user.id);
    let cancel = |id: &str| {
        let path = format!("/api/task/{id}/cancel");
        office.administrator.post(&path, &json!({})).status
    };
    assert_eq!((cancel("t1"), cancel("t2")), (403, 200));
    let noted = office.root.get("/api/audit/?action=task.cancel").data();
    let noted = noted["items"].as_array().unwrap();
    assert_eq!(noted.len(), 1, "{noted:?}");
    assert_eq!(noted[0]["object_id"], "t2");
    assert_eq!(noted[0]["actor_id"], json!(office.administrator.id.0));
}

#[test]
fn a_task_can_be_watched_and_cancelled_by_whose_it_is() {
    let office = Office::open();
    begin(&office, "t1", office.user.id);
    begin(&office, "t2", office.other_user.id);
    let own = office.user.get("/api/task/").data();
    assert_eq!(own["items"].as_array().unwrap().len(), 1);
    assert_eq!(own["items"][0]["id"], "t1");
    assert_eq!(office.user.get("/api/task/?scope=all").status, 403);
    let all = office
        .administrator
        .get("/api/task/?scope=all&state=running")
        .data();
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    assert_eq!(office.administrator.get("/api/task/?state=odd").status, 400);

    let nothing = json!({});
    assert_eq!(
        office.user.post("/api/task/t2/cancel", &nothing).status,
        404
    );
    let asked = office.user.post("/api/task/t1/cancel", &nothing).data();
    assert_eq!(
        (&asked["state"], &asked["cancel_asked"]),
        (&json!("running"), &json!(true))
    );
    office.records(async |store| {
        let transaction = store.write().await.unwrap();
        let one = tasks::Progress {
            done: 1,
            result: None,
        };
        let may_go_on = tasks::progress(&transaction, "t1", one, 2).await.unwrap();
        assert!(!may_go_on);
        let state = tasks::TaskState::Cancelled;
        tasks::finish(&transaction, "t1", state, one, "", 3)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    });
    assert_eq!(office.user.get("/api/task/t1").data()["state"], "cancelled");
    assert_eq!(
        office.user.post("/api/task/t1/cancel", &nothing).status,
        409
    );
}

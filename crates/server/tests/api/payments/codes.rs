//! Redemption codes: shown once, redeemed once.

use serde_json::{Value, json};
use store::users::Role;

use super::service::{NOW_S, Person, Service};

const REDEEM: &str = "POST /api/redemption/redeem";
const MAKE: &str = "POST /api/redemption/";

fn make(service: &Service, root: &Person, count: u32) -> Vec<String> {
    let body = json!({"name": "spring", "quota": 500_000, "count": count});
    let made = service.data(root, MAKE, &body);
    assert_eq!(made["quota_usd"], "1");
    let codes = made["codes"].as_array().expect("the test gave it");
    codes
        .iter()
        .map(|code| code.as_str().expect("the test gave it").to_owned())
        .collect()
}

#[test]
fn a_code_is_redeemed_once_however_many_race_for_it() {
    let service = Service::with("");
    let root = service.person("root", Role::Root);
    let people: Vec<Person> = (0..4)
        .map(|number| service.person(&format!("user{number}"), Role::User))
        .collect();
    let code = make(&service, &root, 1).remove(0);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..32)
            .map(|number| {
                let (service, person) = (&service, &people[number % 4]);
                let body = json!({"code": code.to_lowercase()});
                scope.spawn(move || service.call(person, REDEEM, &body).status)
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)));
    let sum: i64 = people
        .iter()
        .map(|person| service.balances(person).wallet_nanos)
        .sum();
    assert_eq!(sum, 1_000_000_000);
}

#[test]
fn a_code_is_worth_something_and_not_all_that_there_is() {
    let service = Service::with("");
    let root = service.person("root", Role::Root);
    for quota in [0, -1, 50_000_000_000_001, i64::MAX] {
        let body = json!({"name": "spring", "quota": quota, "count": 1});
        let refused = service.call(&root, MAKE, &body);
        assert_eq!(refused.status, 400, "{quota}");
    }
}

#[test]
fn used_over_switched_off_and_unknown_codes_are_told_apart() {
    let service = Service::with("");
    let root = service.person("root", Role::Root);
    let ann = service.person("ann", Role::User);
    let mut codes = make(&service, &root, 3);
    let used = codes.remove(0);
    let redeemed = service.data(&ann, REDEEM, &json!({"code": used}));
    assert_eq!(
        redeemed,
        json!({"credited_quota": 500_000, "credited_quota_usd": "1", "quota": 500_000,
            "quota_usd": "1"})
    );
    let list = service.data(&root, "GET /api/redemption/?name=spring", &Value::Null);
    let items = list["items"].as_array().unwrap();
    let active = items
        .iter()
        .find(|item| item["status"] == "active")
        .unwrap();
    let off = json!({"id": active["id"], "disabled": true});
    assert_eq!(
        service.data(&root, "PUT /api/redemption/", &off)["status"],
        "disabled"
    );
    let over = json!({"name": "over", "quota": 1, "count": 1, "expires_at": NOW_S + 60});
    let over = service.data(&root, MAKE, &over)["codes"][0].clone();
    service.records(async |store| {
        use store::ConnectionTrait as _;
        let transaction = store.write().await.unwrap();
        transaction
            .execute_unprepared("UPDATE redemption_codes SET expires_at = 1 WHERE name = 'over'")
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    });
    let mut told: Vec<(u16, String)> = [used, codes.remove(0), codes.remove(0)]
        .into_iter()
        .map(Value::String)
        .chain([over, json!("0000-0000-0000-0000-0000")])
        .map(|code| {
            let reply = service.call(&ann, REDEEM, &json!({"code": code}));
            let word = reply.json()["code"]
                .as_str()
                .unwrap_or("redeemed")
                .to_owned();
            (reply.status, word)
        })
        .collect();
    told.sort();
    assert_eq!(
        told,
        [
            (200, "redeemed".to_owned()),
            (404, "code_unknown".to_owned()),
            (409, "code_disabled".to_owned()),
            (409, "code_expired".to_owned()),
            (409, "code_used".to_owned()),
        ]
    );
    let empty = service.call(&ann, REDEEM, &json!({}));
    assert_eq!(
        (empty.status, empty.json()["message"].as_str()),
        (400, Some("code: is required"))
    );
}

#[test]
fn codes_are_shown_once_and_are_nowhere_in_the_records() {
    let service = Service::with("");
    let root = service.person("root", Role::Root);
    let code = make(&service, &root, 1).remove(0);
    for line in ["GET /api/redemption/", "GET /api/audit/"] {
        let reply = service.call(&root, line, &Value::Null);
        assert!(!reply.body.contains(&code), "{line}");
        assert!(!reply.body.contains(&code.replace('-', "")), "{line}");
    }
}

#[test]
fn batches_that_make_no_sense_are_refused_by_name() {
    let service = Service::with("");
    let root = service.person("root", Role::Root);
    let ann = service.person("ann", Role::User);
    for (field, value) in [
        ("name", json!("")),
        ("quota", json!(0)),
        ("quota", json!(-1)),
        ("quota", json!(i64::MAX)),
        ("count", json!(0)),
        ("count", json!(1001)),
        ("expires_at", json!(NOW_S - 1)),
    ] {
        let mut body = json!({"name": "spring", "quota": 1, "count": 1});
        body[field] = value;
        let reply = service.call(&root, MAKE, &body);
        assert_eq!(reply.status, 400, "{body}");
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(field), "{message}");
    }
    let body = json!({"name": "spring", "quota": 1, "count": 1});
    assert_eq!(service.call(&ann, MAKE, &body).status, 403);
    let id = {
        make(&service, &root, 1);
        let list = service.data(&root, "GET /api/redemption/", &Value::Null);
        list["items"][0]["id"].as_i64().unwrap()
    };
    let line = format!("DELETE /api/redemption/{id}");
    assert_eq!(service.call(&root, &line, &Value::Null).status, 200);
    assert_eq!(service.call(&root, &line, &Value::Null).status, 404);
}

//! A word when a balance runs low: once for each fall, at most once a day, to whom it was promised.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::accounts::tell_low_balances;
use store::{Location, OpenOptions, Store, UserId, low_balances};
use tempfile::TempDir;

use crate::nodes::empty_database;
use crate::support::{Actor, Browser, MailSink, Office, Program, run_with};

const UNITS_A_DOLLAR: i64 = 500_000;

/// A service that mails to the sink; `settings` go into its section.
fn office(sink: &MailSink, settings: &str) -> Office {
    let server = "[server]\npublic_url = \"https://gate.example/\"\n";
    Office::with(&format!("{server}{}{settings}", sink.configuration()))
}

fn set(office: &Office, whom: &Actor, mut fields: Value) {
    fields["id"] = json!(whom.id.0);
    office.administrator.put("/api/user/", &fields).data();
}

fn set_dollars(office: &Office, whom: &Actor, dollars: i64) {
    set(office, whom, json!({"quota": dollars * UNITS_A_DOLLAR}));
}

fn choose(whom: &Actor, low_balance_usd: &Value) -> Value {
    let body = json!({"low_balance_usd": low_balance_usd});
    whom.put("/api/user/self", &body).data()["low_balance_usd"].clone()
}

fn look(office: &Office) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime
        .block_on(tell_low_balances(&office.app.app))
        .expect("the records");
}

/// The next mail, with its soft line breaks taken out.
fn mail(sink: &MailSink) -> String {
    sink.next().replace("=\n", "")
}

fn nobody_is_told(office: &Office, sink: &MailSink) {
    look(office);
    let sent = sink.messages.try_recv();
    assert!(sent.is_err(), "{sent:?}");
}

#[test]
fn each_fall_is_told_once_and_at_most_once_a_day() {
    let sink = MailSink::open();
    let office = office(&sink, "low_balance_usd = \"5\"\n");
    let uma = &office.user;
    set(&office, uma, json!({"email": "uma@example.org"}));
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 5);
    nobody_is_told(&office, &sink);
    set(&office, uma, json!({"quota": 5 * UNITS_A_DOLLAR - 1}));
    look(&office);
    let told = mail(&sink);
    for words in [
        "To: uma@example.org",
        "Subject: Your Modelgate balance is low",
        "The balance of uma is $4.99, which is less than $5.",
        "https://gate.example/console/wallet",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    set_dollars(&office, uma, 1);
    office.app.clock.advance(Duration::from_hours(48));
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 20);
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 2);
    look(&office);
    assert!(mail(&sink).contains("is $2.00,"));
    set_dollars(&office, uma, 20);
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 3);
    office.app.clock.advance(Duration::from_hours(23));
    nobody_is_told(&office, &sink);
    office.app.clock.advance(Duration::from_hours(1));
    look(&office);
    assert!(mail(&sink).contains("is $3.00,"), "told a day later");
}

#[test]
fn users_choose_for_themselves() {
    let sink = MailSink::open();
    let office = office(&sink, "low_balance_usd = \"5\"\n");
    let status = office.nobody.get("/api/status").data();
    assert_eq!(status["low_balance_usd"], "5");
    let (uma, otto) = (&office.user, &office.other_user);
    assert_eq!(
        uma.get("/api/user/self").data()["low_balance_usd"],
        Value::Null
    );
    assert_eq!(choose(uma, &json!("0")), "0");
    assert_eq!(choose(otto, &json!("7.50")), "7.5");
    for wrong in [json!("-1"), json!("much"), json!([])] {
        let refused = uma.put("/api/user/self", &json!({"low_balance_usd": wrong}));
        let (status, _, message) = refused.refusal();
        assert_eq!(status, 400);
        assert!(message.contains("low_balance_usd: must be"), "{message}");
    }
    let untouched = uma.put("/api/user/self", &json!({"display_name": "Uma"}));
    assert_eq!(untouched.data()["low_balance_usd"], "0");
    for one in [uma, otto] {
        let email = format!("{}@example.org", one.id);
        set(&office, one, json!({"email": email}));
        set_dollars(&office, one, 20);
    }
    nobody_is_told(&office, &sink);
    for one in [uma, otto] {
        set_dollars(&office, one, 6);
    }
    look(&office);
    assert!(mail(&sink).contains("is $6.00, which is less than $7.5."));
    assert_eq!(choose(uma, &Value::Null), Value::Null);
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 4);
    look(&office);
    assert!(mail(&sink).contains("The balance of uma is $4.00, which is less than $5."));
}

#[test]
fn a_mail_that_could_not_be_sent_is_tried_again() {
    let sink = MailSink::after_refusals(1);
    let office = office(&sink, "");
    let uma = &office.user;
    set(&office, uma, json!({"email": "uma@example.org"}));
    choose(uma, &json!("5"));
    set_dollars(&office, uma, 9);
    nobody_is_told(&office, &sink);
    set_dollars(&office, uma, 1);
    nobody_is_told(&office, &sink);
    nobody_is_told(&office, &sink);
    office.app.clock.advance(Duration::from_hours(1));
    look(&office);
    assert!(mail(&sink).contains("The balance of uma is $1.00"));
    nobody_is_told(&office, &sink);
}

#[test]
fn without_a_mail_server_nobody_is_told_and_the_page_knows() {
    let office = Office::with("[mail]\nlow_balance_usd = \"5\"\n");
    let status = office.nobody.get("/api/status").data();
    assert_eq!(status["low_balance_usd"], Value::Null);
    set(&office, &office.user, json!({"email": "uma@example.org"}));
    set_dollars(&office, &office.user, 9);
    look(&office);
    let seen = office.records(async |store| {
        let seen = low_balances::watched(store.read(), 1, UserId(0), 10).await;
        seen.unwrap()
    });
    assert!(seen.iter().all(|user| !user.is_armed), "{seen:?}");
}

#[test]
fn two_nodes_on_postgresql_tell_a_fall_once() {
    let sink = MailSink::open();
    let folders: Vec<TempDir> = (0..2).map(|_| TempDir::new().unwrap()).collect();
    let data = |node: usize| folders[node].path().to_str().unwrap();
    let (url, port) = (empty_database("low_balance"), sink.port().to_string());
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        (
            "MODELGATE_SECRETS__MASTER_KEY",
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ),
        ("MODELGATE_MAIL__HOST", "127.0.0.1"),
        ("MODELGATE_MAIL__PORT", port.as_str()),
        ("MODELGATE_MAIL__SECURITY", "none"),
        ("MODELGATE_MAIL__ALLOW_PRIVATE", "127.0.0.0/8"),
        ("MODELGATE_MAIL__LOW_BALANCE_USD", "5"),
    ];
    let set_up = ["setup", "--data", data(0), "--password-stdin"];
    let done = run_with(&set_up, &environment, "correct horse\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    let serve = |node: usize| Program::serve(&["--data", data(node)], &environment);
    let first = serve(0);
    let root = Browser::logged_in(first.address, "root", "correct horse");
    let ann = json!({"username": "ann", "password": "a long password",
        "email": "ann@example.org", "quota": 9 * UNITS_A_DOLLAR});
    let id = root.post("/api/user/", &ann).data()["id"].clone();
    drop(first);
    // Whoever starts looks at once.
    let second = serve(0);
    until_armed(&url);
    let root = Browser::logged_in(second.address, "root", "correct horse");
    root.put("/api/user/", &json!({"id": id, "quota": UNITS_A_DOLLAR}))
        .data();
    drop(second);
    let _both = (serve(0), serve(1));
    assert!(mail(&sink).contains("The balance of ann is $1.00"));
    let more = sink.messages.recv_timeout(Duration::from_secs(1));
    assert!(more.is_err(), "{more:?}");
}

fn until_armed(url: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let location = Location::Postgres(url.to_owned());
        let store = Store::open(&location, &OpenOptions::default()).await;
        let store = store.expect("the store");
        let began = Instant::now();
        loop {
            let seen = low_balances::watched(store.read(), 1, UserId(0), 10).await;
            let seen = seen.expect("the records");
            if seen.iter().any(|user| user.is_armed) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "nobody looked");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}

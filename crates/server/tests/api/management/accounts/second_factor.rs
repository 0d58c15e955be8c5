//! The second factor: set-up, login with codes, and what attackers try.

use std::time::Duration;

use serde_json::json;
use store::users::Role;

use super::support::{PASSWORD, begin_login, enable_second_factor, register, send_code, username};
use crate::support::{Browser, Office};

fn new_browser(office: &Office) -> Browser {
    Browser::new(office.app.address)
}

fn next_step(office: &Office) {
    office.app.clock.advance(Duration::from_secs(30));
}

#[test]
fn a_login_with_a_second_factor_takes_both() {
    let office = Office::open();
    let (app, _) = enable_second_factor(&office, &register(&office, "ann"));
    next_step(&office);
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    assert_eq!(flow.len(), 43);
    assert_eq!(
        browser.get("/api/user/self").status,
        401,
        "a flow is no session"
    );
    let spaced = format!("{} {}", &app.code()[..3], &app.code()[3..]);
    let reply = send_code(&browser, &flow, &spaced);
    assert_eq!(username(&reply.data()), "ann");
    assert_eq!(browser.get("/api/user/self").data()["two_factor"], true);
}

#[test]
fn the_flow_token_may_come_from_its_cookie() {
    let office = Office::open();
    let (app, _) = enable_second_factor(&office, &register(&office, "ann"));
    next_step(&office);
    let browser = new_browser(&office);
    begin_login(&browser, "ann");
    assert!(browser.cookie("pending_2fa").is_some());
    browser
        .post("/api/user/login/2fa", &json!({"code": app.code()}))
        .data();
    assert_eq!(browser.cookie("pending_2fa"), None);
}

#[test]
fn what_is_missing_is_named() {
    let office = Office::open();
    let browser = new_browser(&office);
    for (body, words) in [
        (json!({}), "code: is required"),
        (json!({"code": ""}), "code: is required"),
        (json!({"code": "123456"}), "flow_token: is required"),
    ] {
        let (status, _, message) = browser.post("/api/user/login/2fa", &body).refusal();
        assert_eq!(status, 400);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_replayed_code_is_refused_everywhere() {
    let office = Office::open();
    let session = register(&office, "ann");
    let (app, _) = enable_second_factor(&office, &session);
    let browser = new_browser(&office);
    let enabling = app.code();
    let flow = begin_login(&browser, "ann");
    assert_eq!(
        send_code(&browser, &flow, &enabling).refusal().1,
        "code_wrong"
    );
    next_step(&office);
    let code = app.code();
    send_code(&browser, &flow, &code).data();
    let flow = begin_login(&browser, "ann");
    assert_eq!(send_code(&browser, &flow, &code).refusal().0, 401);
    let older = app.code_after(-1);
    assert_eq!(
        send_code(&browser, &flow, &older).refusal().0,
        401,
        "an older step"
    );
    let disable = json!({"code": code});
    assert_eq!(
        session.post("/api/user/2fa/disable", &disable).refusal().1,
        "code_wrong"
    );
}

#[test]
fn one_step_either_side_counts_and_no_more() {
    let office = Office::open();
    let (app, _) = enable_second_factor(&office, &register(&office, "ann"));
    office.app.clock.advance(Duration::from_mins(5));
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    for steps in [-2, 2] {
        assert_eq!(
            send_code(&browser, &flow, &app.code_after(steps)).status,
            401
        );
    }
    send_code(&browser, &flow, &app.code_after(-1)).data();
    let flow = begin_login(&browser, "ann");
    send_code(&browser, &flow, &app.code_after(1)).data();
}

#[test]
fn a_backup_code_works_once_in_any_spelling() {
    let office = Office::open();
    let session = register(&office, "ann");
    let (_, codes) = enable_second_factor(&office, &session);
    let browser = new_browser(&office);
    let spelled = codes[0].to_lowercase().replace('-', "");
    let flow = begin_login(&browser, "ann");
    send_code(&browser, &flow, &spelled).data();
    let flow = begin_login(&browser, "ann");
    assert_eq!(
        send_code(&browser, &flow, &codes[0]).refusal().1,
        "code_wrong"
    );
    let state = session.get("/api/user/2fa/status").data();
    assert_eq!(state["backup_codes_remaining"], 9);
}

#[test]
fn a_flow_is_used_once_and_ends() {
    let office = Office::open();
    let (app, codes) = enable_second_factor(&office, &register(&office, "ann"));
    next_step(&office);
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    send_code(&browser, &flow, &app.code()).data();
    assert_eq!(
        send_code(&browser, &flow, &codes[0]).refusal().1,
        "flow_expired"
    );
    let flow = begin_login(&browser, "ann");
    office.app.clock.advance(Duration::from_mins(5));
    assert_eq!(
        send_code(&browser, &flow, &app.code()).refusal().1,
        "flow_expired"
    );
    assert_eq!(
        send_code(&browser, "no-such-flow", "123456").refusal().0,
        401
    );
}

#[test]
fn a_flow_belongs_to_the_user_who_began_it() {
    let office = Office::open();
    let (_, _) = enable_second_factor(&office, &register(&office, "ann"));
    let (bobs, codes) = enable_second_factor(&office, &register(&office, "bob"));
    next_step(&office);
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    assert_eq!(
        send_code(&browser, &flow, &bobs.code()).refusal().1,
        "code_wrong"
    );
    assert_eq!(
        send_code(&browser, &flow, &codes[0]).refusal().1,
        "code_wrong"
    );
}

#[test]
fn five_wrong_codes_lock_and_say_for_how_long() {
    let office = Office::open();
    let (app, codes) = enable_second_factor(&office, &register(&office, "ann"));
    next_step(&office);
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    for number in 1..=5 {
        let reply = send_code(&browser, &flow, "000000");
        assert_eq!(reply.status, 401);
        let announced = (number == 5).then_some("300");
        assert_eq!(reply.header("retry-after"), announced);
    }
    for code in [app.code(), codes[0].clone(), "000000".to_owned()] {
        let reply = send_code(&browser, &flow, &code);
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (429, Some("300"))
        );
        assert!(reply.refusal().2.contains("300 seconds"));
    }
    let flow = begin_login(&browser, "ann");
    assert_eq!(
        send_code(&browser, &flow, &app.code()).status,
        429,
        "a new flow does not help"
    );
    office.app.clock.advance(Duration::from_secs(301));
    let flow = begin_login(&browser, "ann");
    send_code(&browser, &flow, &app.code()).data();
}

#[test]
fn strangers_with_the_password_do_not_lock_out_a_known_device() {
    let office = Office::open();
    let owner = register(&office, "ann");
    let (app, _) = enable_second_factor(&office, &owner);
    next_step(&office);
    let stranger = new_browser(&office);
    let flow = begin_login(&stranger, "ann");
    for _ in 0..5 {
        assert_eq!(send_code(&stranger, &flow, "000000").status, 401);
    }
    let flow = begin_login(&stranger, "ann");
    assert_eq!(send_code(&stranger, &flow, &app.code()).status, 429);
    let flow = begin_login(&owner, "ann");
    assert_eq!(
        username(&send_code(&owner, &flow, &app.code()).data()),
        "ann"
    );
    // A known device is counted by itself.
    next_step(&office);
    let flow = begin_login(&owner, "ann");
    for number in 1..=5 {
        let reply = send_code(&owner, &flow, "000000");
        assert_eq!(reply.status, 401);
        assert_eq!(reply.header("retry-after").is_some(), number == 5);
    }
    let flow = begin_login(&owner, "ann");
    assert_eq!(send_code(&owner, &flow, &app.code()).status, 429);
}

#[test]
fn wrong_codes_for_many_accounts_lock_the_address_that_they_come_from() {
    // An address may fail ten times as often as an account.
    let office = Office::with("[login]\nfailures = 1\n");
    let [_, _, eve] = ["ann", "bob", "eve"].map(|name| {
        let (app, _) = enable_second_factor(&office, &register(&office, name));
        app
    });
    next_step(&office);
    let browser = new_browser(&office);
    for (name, tries) in [("ann", 4), ("bob", 4), ("eve", 2)] {
        let flow = begin_login(&browser, name);
        for _ in 0..tries {
            assert_eq!(send_code(&browser, &flow, "000000").status, 401, "{name}");
        }
    }
    let flow = begin_login(&browser, "eve");
    assert_eq!(send_code(&browser, &flow, &eve.code()).status, 429);
    office.app.clock.advance(Duration::from_secs(301));
    let flow = begin_login(&browser, "eve");
    send_code(&browser, &flow, &eve.code()).data();
}

#[test]
fn parallel_codes_are_counted_exactly_and_a_right_one_counts_once() {
    let office = Office::open();
    let (app, _) = enable_second_factor(&office, &register(&office, "ann"));
    next_step(&office);
    let address = office.app.address;
    let race = |code: String, flows: Vec<String>| -> Vec<u16> {
        std::thread::scope(|scope| {
            let send = |flow: String| {
                let code = code.clone();
                scope.spawn(move || send_code(&Browser::new(address), &flow, &code).status)
            };
            let racing: Vec<_> = flows.into_iter().map(send).collect();
            racing
                .into_iter()
                .map(|sent| sent.join().unwrap())
                .collect()
        })
    };
    let flows = |count: usize| -> Vec<String> {
        (0..count)
            .map(|_| begin_login(&Browser::new(address), "ann"))
            .collect()
    };
    let right = race(app.code(), flows(2));
    assert_eq!(
        right.iter().filter(|status| **status == 200).count(),
        1,
        "{right:?}"
    );
    next_step(&office);
    let wrong = race("000000".to_owned(), flows(12));
    // One of the two right ones above was a replay and counted as the first failure, unless the
    // right one came after it.
    let looked_at = wrong.iter().filter(|status| **status == 401).count();
    assert!((4..=5).contains(&looked_at), "{wrong:?}");
    assert_eq!(
        wrong.iter().filter(|status| **status == 429).count(),
        12 - looked_at
    );
}

#[test]
fn a_new_password_and_a_disabled_account_end_logins_that_were_begun() {
    let office = Office::open();
    let session = register(&office, "ann");
    let (app, _) = enable_second_factor(&office, &session);
    next_step(&office);
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    let body = json!({"password": "another password", "original_password": PASSWORD});
    session.put("/api/user/self", &body).data();
    assert_eq!(
        send_code(&browser, &flow, &app.code()).refusal().1,
        "flow_expired"
    );
    let body = json!({"password": PASSWORD, "original_password": "another password"});
    session.put("/api/user/self", &body).data();
    let flow = begin_login(&browser, "ann");
    let id = session.get("/api/user/self").data()["id"].clone();
    let disable = json!({"id": id, "action": "disable"});
    office
        .administrator
        .post("/api/user/manage", &disable)
        .data();
    let (status, _, _) = send_code(&browser, &flow, &app.code()).refusal();
    assert!([401, 403].contains(&status));
}

#[test]
fn setting_up_shows_everything_once_and_changes_nothing_yet() {
    let office = Office::open();
    let session = register(&office, "ann");
    let begun = session.post("/api/user/2fa/setup", &json!({}));
    assert_eq!(begun.header("cache-control"), Some("no-store"));
    let begun = begun.data();
    let secret = begun["secret"].as_str().unwrap();
    assert_eq!(secret.len(), 32);
    let uri = format!(
        "otpauth://totp/Modelgate:ann?secret={secret}&issuer=Modelgate&algorithm=SHA1&digits=6\
         &period=30"
    );
    assert_eq!(begun["otpauth_uri"], uri.as_str());
    assert!(begun["qr_svg"].as_str().unwrap().contains("<svg"));
    assert_eq!(begun["backup_codes"].as_array().unwrap().len(), 10);
    assert_eq!(session.get("/api/user/2fa/status").data()["enabled"], false);
    let wrong = json!({"code": "000000"});
    assert_eq!(
        session.post("/api/user/2fa/enable", &wrong).refusal().1,
        "code_wrong"
    );
    Browser::logged_in(office.app.address, "ann", PASSWORD);
    office.app.clock.advance(Duration::from_mins(15));
    let again = json!({"password": PASSWORD});
    session.post("/api/verify", &again).data();
    let late = session.post("/api/user/2fa/enable", &wrong).refusal();
    assert_eq!((late.0, late.1.as_str()), (409, "conflict"));
}

#[test]
fn switching_it_on_ends_other_sessions_and_renews_the_secret_of_this_one() {
    let office = Office::open();
    let session = register(&office, "ann");
    let other = Browser::logged_in(office.app.address, "ann", PASSWORD);
    let before = session.cookie("session").unwrap();
    let (app, _) = enable_second_factor(&office, &session);
    assert_eq!(session.get("/api/user/self").status, 200);
    assert_ne!(session.cookie("session").unwrap(), before);
    assert_eq!(other.get("/api/user/self").status, 401);
    assert_eq!(
        session.post("/api/user/2fa/setup", &json!({})).refusal().0,
        409
    );
    next_step(&office);
    let body = json!({"code": app.code()});
    let state = session.post("/api/user/2fa/disable", &body).data();
    assert_eq!(state, json!({"enabled": false, "locked": false}));
    Browser::logged_in(office.app.address, "ann", PASSWORD);
}

#[test]
fn new_backup_codes_take_a_code_of_the_app_and_void_the_former() {
    let office = Office::open();
    let session = register(&office, "ann");
    let (app, codes) = enable_second_factor(&office, &session);
    next_step(&office);
    let path = "/api/user/2fa/backup_codes";
    let with_backup = session.post(path, &json!({"code": codes[0]})).refusal();
    assert_eq!(with_backup.1, "code_wrong");
    let renewed = session.post(path, &json!({"code": app.code()})).data();
    let browser = new_browser(&office);
    let flow = begin_login(&browser, "ann");
    assert_eq!(send_code(&browser, &flow, &codes[1]).status, 401);
    let code = renewed["backup_codes"][0].as_str().unwrap();
    send_code(&browser, &flow, code).data();
}

#[test]
fn an_administrator_resets_it_for_lower_roles_only() {
    let office = Office::open();
    let session = register(&office, "ann");
    enable_second_factor(&office, &session);
    let id = session.get("/api/user/self").data()["id"].clone();
    let reset = json!({"id": id, "action": "reset_2fa"});
    office.administrator.post("/api/user/manage", &reset).data();
    assert_eq!(
        session.get("/api/user/self").status,
        401,
        "sessions are ended"
    );
    Browser::logged_in(office.app.address, "ann", PASSWORD);
    let peer = office.hire("peer", Role::Administrator);
    let reset = json!({"id": peer.id.0, "action": "reset_2fa"});
    assert_eq!(
        office
            .administrator
            .post("/api/user/manage", &reset)
            .refusal()
            .0,
        403
    );
}

#[test]
fn an_access_token_cannot_change_factors() {
    let office = Office::open();
    for path in ["setup", "enable", "disable", "backup_codes"] {
        let path = format!("/api/user/2fa/{path}");
        let refused = office
            .user
            .post(&path, &json!({"code": "123456"}))
            .refusal();
        assert_eq!(
            (refused.0, refused.1.as_str()),
            (403, "session_required"),
            "{path}"
        );
    }
}

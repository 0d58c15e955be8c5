//! Secrets are planted wherever one can be, and then every reply that can be had is searched for them.

use serde_json::json;
use server::secrets::seal;
use store::{two_factor, users};

use crate::support::{Actor, Office, ROOT_PASSWORD, Reply};

const PROVIDER_KEY: &str = "sk-canary-provider-key";
const OTHER_KEY: &str = "sk-canary-second-key";
const PROXY_PASSWORD: &str = "canary-proxy-password";
const HEADER: &str = "canary-header-credential";
const PASSWORD: &str = "canary password of zoe";
const TOTP: &[u8] = b"CANARYTOTPSECRET";

/// Everything that can be read, by an administrator or by root.
fn readable(office: &Office) -> Vec<String> {
    let mut paths: Vec<String> = server::management::table::access_table()
        .into_iter()
        .filter(|rule| rule.method == "GET")
        .map(|rule| rule.path.to_owned())
        .filter(|path| !path.contains("stream") && !path.contains("oauth"))
        .collect();
    paths.push("/api/price/history?model=gpt-4o".to_owned());
    paths.push("/api/route/explain?model=gpt-4o".to_owned());
    let ids = [1, 2, office.user.id.0, office.other_user.id.0];
    let filled = paths
        .iter()
        .filter(|path| path.contains('{'))
        .flat_map(|path| {
            ids.map(|id| {
                let (start, rest) = path.split_once('{').expect("a parameter");
                let (_, end) = rest.split_once('}').expect("its end");
                format!("{start}{id}{end}")
            })
        });
    let filled: Vec<String> = filled.collect();
    paths.retain(|path| !path.contains('{'));
    paths.extend(filled);
    paths.push("/metrics".to_owned());
    paths
}

fn plant(office: &Office) -> Vec<String> {
    let admin = &office.administrator;
    let channel = json!({"name": "canary", "type": "openai", "base_url": "https://api.example.com/v1",
        "keys": [PROVIDER_KEY, OTHER_KEY], "models": ["gpt-4o"],
        "proxy": format!("http://user:{PROXY_PASSWORD}@proxy.example:3128"),
        "overrides": {"headers": {"authorization": HEADER}}});
    let channel = admin.post("/api/channel/", &channel).data();
    let bad = json!({"id": channel["id"], "key": PROVIDER_KEY, "base_url": "nonsense"});
    let refused = admin.put("/api/channel/", &bad);
    assert_eq!(refused.status, 400);
    assert!(!refused.body.contains(PROVIDER_KEY), "{refused:?}");
    let user = json!({"username": "zoe", "password": PASSWORD});
    admin.post("/api/user/", &user).data();
    let token = office
        .user
        .post("/api/token/", &json!({"name": "a"}))
        .data();
    let playground = office.user.post("/api/playground/token", &json!({})).data();
    let rotated = format!("/api/token/{}/rotate", token["id"]);
    let second = office.user.post(&rotated, &json!({"overlap_s": 60})).data();
    let hash = office.records(async |store| {
        let app = &office.app.app;
        let sealed = seal(app.keys(), app.randomness(), "totp", TOTP);
        let transaction = store.write().await.expect("the records work");
        two_factor::set_up(&transaction, office.user.id, &sealed, &[vec![7; 32]], 0)
            .await
            .expect("the records work");
        transaction.commit().await.expect("the records work");
        let zoe = users::find_by_login(store.read(), "zoe").await;
        let zoe = zoe.expect("the records work").expect("she was made");
        zoe.password_hash.expect("she has a password")
    });
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let mut planted: Vec<String> = [
        PROVIDER_KEY,
        OTHER_KEY,
        PROXY_PASSWORD,
        HEADER,
        PASSWORD,
        ROOT_PASSWORD,
    ]
    .map(str::to_owned)
    .to_vec();
    planted.push(String::from_utf8(TOTP.to_vec()).expect("plain letters"));
    planted.push(hash);
    planted.extend([
        text(&token["key"]),
        text(&second["key"]),
        text(&playground["token"]),
    ]);
    planted.push("$argon2id$".to_owned());
    planted
}

#[test]
fn no_reply_holds_a_secret() {
    let office = Office::open();
    let planted = plant(&office);
    let people: [&Actor; 3] = [&office.root, &office.administrator, &office.user];
    let mut read = 0;
    for path in readable(&office) {
        for actor in people {
            let reply = actor.get(&path);
            read += usize::from(reply.status == 200);
            search(&path, &reply, &planted);
        }
    }
    assert!(read > 40, "only {read} replies were read");
    office.records(async |store| {
        let all = store::audit_log::AuditFilter::default();
        let page = store::audit_log::page(store.read(), &all, None, 1000)
            .await
            .unwrap();
        let entries = format!("{:?}", page.items);
        for secret in &planted {
            assert!(
                !entries.contains(secret.as_str()),
                "{secret} is in the audit log"
            );
        }
    });
}

fn search(path: &str, reply: &Reply, planted: &[String]) {
    for secret in planted {
        let is_in_body = reply.body.contains(secret.as_str());
        let is_in_head = reply
            .headers
            .iter()
            .any(|(_, value)| value.contains(secret.as_str()));
        assert!(!is_in_body && !is_in_head, "{path} gives {secret} away");
    }
}

//! The same on the program itself, with its log at the finest level: secrets of every kind go in by
//! every way there is, and then every reply, every stream, every log line, the metrics and the files
//! are searched for them.

use std::path::Path;

use serde_json::{Value, json};
use server::accounts::code_at;
use server::clock::{Clock as _, SystemClock};
use server::management::table::access_table;
use tempfile::TempDir;
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use super::accounts::support::read_base32;
use crate::support::{Browser, Connection, Program, Reply, run_with, send};

const ROOT_PASSWORD: &str = "canary password of root";
const PASSWORD: &str = "canary password of mona";
const PROVIDER_KEY: &str = "sk-canary0provider0key0000000000000000";
const UNKNOWN_TOKEN: &str = "sk-canary0unknown0token00000000000000000";
const MAIL_PASSWORD: &str = "canary-mail-password";
const STORED_SECRET: &str = "whsec_canary_stored_in_the_records";
const WEBHOOK_SECRET: &str = "whsec_canary_of_stripe";
const STRIPE_KEY: &str = "sk_live_canary_of_stripe";
const CLIENT_SECRET: &str = "canary-oidc-client-secret";

/// What must appear where secrets must not: it shows that the search sees what there is.
const MARKER: &str = "marker-model-of-the-search";

/// The program, what was planted in it, and every reply that was read.
struct House {
    program: Program,
    folder: TempDir,
    planted: Vec<String>,
    replies: Vec<(String, Reply)>,
}

impl House {
    fn open(upstream: &FakeUpstream) -> (Self, Browser) {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("modelgate.toml");
        let text = format!(
            "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n[billing]\nunpriced = \"free\"\n\
             [mail]\nusername = \"post\"\npassword = \"{MAIL_PASSWORD}\"\n\
             [payments.stripe]\nsecret_key = \"{STRIPE_KEY}\"\nwebhook_secret = \"{WEBHOOK_SECRET}\"\n\
             api_base = \"{}\"\n[[oidc]]\nname = \"work\"\nissuer = \"{}\"\nclient_id = \"gate\"\n\
             client_secret = \"{CLIENT_SECRET}\"\n",
            upstream.url(""),
            upstream.url(""),
        );
        std::fs::write(&file, text).expect("a file");
        let data = folder.path().join("data");
        let path = |path: &Path| path.to_str().expect("a path of text").to_owned();
        let (data, file) = (path(&data), path(&file));
        let common = ["--data", &data, "--config", &file];
        let set_up = [
            &["setup"],
            &common[..],
            &["--password-stdin", "--demo", "--token", "first"],
        ];
        let done = run_with(&set_up.concat(), &[], &format!("{ROOT_PASSWORD}\n"));
        assert_eq!(done.code, Some(0), "{done:?}");
        let made: Value = serde_json::from_str(&done.stdout).expect("a line of JSON");
        let level = [("MODELGATE_LOG__LEVEL", "trace")];
        let program = Program::serve(&common, &level);
        let root = Browser::logged_in(program.address, "root", ROOT_PASSWORD);
        let fixed = [
            ROOT_PASSWORD,
            PASSWORD,
            PROVIDER_KEY,
            UNKNOWN_TOKEN,
            MAIL_PASSWORD,
            STORED_SECRET,
            WEBHOOK_SECRET,
            STRIPE_KEY,
            CLIENT_SECRET,
            "$argon2id$",
        ];
        let mut house = Self {
            program,
            folder,
            planted: fixed.map(str::to_owned).to_vec(),
            replies: Vec::new(),
        };
        house.plant(&made["token"]);
        house.planted.extend(root.cookie("session"));
        (house, root)
    }

    fn plant(&mut self, secret: &Value) {
        self.planted
            .push(secret.as_str().expect("a secret").to_owned());
    }

    /// A model call with the token in this place.
    fn call(&mut self, model: &str, path: &str, header: (&str, &str)) {
        let body = json!({"model": model, "max_tokens": 9,
            "messages": [{"role": "user", "content": "hello"}]});
        let headers = [header, ("content-type", "application/json")];
        let line = format!("POST {path}");
        let reply = send(self.program.address, &line, &headers, &body.to_string());
        self.replies.push((line, reply));
    }

    /// Everything that somebody can read.
    fn read_all(&mut self, reader: &Browser, extra: &[String]) {
        let paths = access_table()
            .into_iter()
            .filter(|rule| rule.method == "GET");
        let paths = paths.map(|rule| rule.path.to_owned());
        let paths: Vec<String> = paths
            .filter(|path| !path.contains("stream"))
            .flat_map(|path| ["1", "2"].map(|id| filled(&path, id)))
            .chain(extra.iter().cloned())
            .collect();
        for path in paths {
            let reply = reader.get(&path);
            self.replies.push((path, reply));
        }
        let mut stream = Connection::open(self.program.address);
        let session = reader.cookie("session").expect("a session");
        stream.write(&format!(
            "GET /api/log/stream HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\n\
             cookie: session={session}\r\n\r\n"
        ));
        self.replies
            .push(("the live log".to_owned(), stream.read_start()));
    }

    fn search(&self) {
        let log = self.program.log();
        assert!(
            log.contains("/v1/chat/completions"),
            "the log has lines: {log}"
        );
        let mut has_seen_marker = false;
        for secret in &self.planted {
            let found = log.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(found, None, "a log line gives {secret} away");
            for (place, reply) in &self.replies {
                let headers = reply.headers.iter().map(|(_, value)| value.as_str());
                let is_in_head = headers.clone().any(|value| value.contains(secret.as_str()));
                let is_in_body = reply.body.contains(secret.as_str());
                assert!(
                    !is_in_head && !is_in_body,
                    "{place} gives {secret} away: {reply:?}"
                );
                has_seen_marker |= reply.body.contains(MARKER);
            }
        }
        assert!(has_seen_marker, "the replies were searched");
        for secret in &self.planted {
            let is_hash = secret == "$argon2id$";
            let found = self.files_with(secret);
            assert!(is_hash || found.is_empty(), "{secret} is in {found:?}");
        }
        assert!(
            !self.files_with(MARKER).is_empty(),
            "the files were searched"
        );
    }

    /// The files of the data folder that hold a text.
    fn files_with(&self, text: &str) -> Vec<String> {
        let folder = std::fs::read_dir(self.folder.path().join("data")).expect("a folder");
        let paths = folder.map(|entry| entry.expect("a file").path());
        let holds = |path: &std::path::PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        let found = paths.filter(holds);
        found.map(|path| path.display().to_string()).collect()
    }
}

fn filled(path: &str, id: &str) -> String {
    match (path.find('{'), path.find('}')) {
        (Some(start), Some(end)) => format!("{}{id}{}", &path[..start], &path[end + 1..]),
        _ => path.to_owned(),
    }
}

/// A vendor that says the key it was sent in its refusal.
fn talkative(runtime: &Runtime) -> FakeUpstream {
    let upstream = runtime.block_on(FakeUpstream::start());
    let text = format!("Incorrect API key provided: {PROVIDER_KEY}. Bearer {PROVIDER_KEY}");
    let refusal = json!({"error": {"message": text, "type": "invalid_request_error",
        "param": null, "code": "invalid_api_key"}});
    for path in ["/v1/chat/completions", "/v1/models", "/v1/responses"] {
        upstream.on(path, Scripted::json(&refusal).status(401));
    }
    upstream
}

/// Somebody with a second factor, a token and an access token.
fn move_in(house: &mut House) -> Browser {
    let mona = Browser::new(house.program.address);
    let body = json!({"username": "mona", "password": PASSWORD});
    mona.post("/api/user/register", &body).data();
    let factor = mona.post("/api/user/2fa/setup", &json!({})).data();
    house.plant(&factor["secret"]);
    let codes = factor["backup_codes"].as_array().expect("codes").clone();
    for code in &codes {
        house.plant(code);
    }
    let secret = read_base32(factor["secret"].as_str().expect("a secret"));
    let enable = json!({"code": code_at(&secret, SystemClock.now_ms() / 30_000)});
    mona.post("/api/user/2fa/enable", &enable).data();
    let again = Browser::new(house.program.address);
    let wrong = json!({"username": "mona", "password": format!("{PASSWORD} and more")});
    house.replies.push((
        "a wrong password".to_owned(),
        again.post("/api/user/login", &wrong),
    ));
    let flow = again.post("/api/user/login", &body).data();
    let flow = flow["flow_token"]
        .as_str()
        .expect("a flow token")
        .to_owned();
    let code = json!({"code": codes[0], "flow_token": flow});
    again.post("/api/user/login/2fa", &code).data();
    let used = again.post("/api/user/login/2fa", &code);
    house.replies.push(("a used code".to_owned(), used));
    house.planted.push(flow);
    house.planted.extend(again.cookie("session"));
    let token = again.post("/api/token/", &json!({"name": "hers"})).data();
    house.plant(&token["key"]);
    let access = again
        .post("/api/user/pat", &json!({"name": "script"}))
        .data();
    house.plant(&access["token"]);
    again
}

#[test]
fn nothing_that_the_program_says_or_writes_holds_a_secret() {
    let runtime = Runtime::new().expect("a runtime");
    let upstream = talkative(&runtime);
    let (mut house, root) = House::open(&upstream);
    let token = house
        .planted
        .iter()
        .find(|one| one.starts_with("sk-") && one.len() == 51);
    let token = token.expect("the first token").clone();
    let channel = json!({"name": "talkative", "type": "openai", "base_url": upstream.url("/v1"),
        "key": PROVIDER_KEY, "models": [MARKER], "dialects": ["chat"]});
    root.post("/api/channel/", &channel).data();
    let trial = root.post("/api/channel/test", &channel);
    house.replies.push(("a channel's test".to_owned(), trial));
    let stored = json!({"values": {"payments.sandbox.webhook_secret": STORED_SECRET}});
    house
        .replies
        .push(("settings".to_owned(), root.put("/api/option/", &stored)));
    let wrong =
        json!({"values": {"payments.sandbox.webhook_secret": STORED_SECRET, "mail.port": 0.5}});
    house.replies.push((
        "wrong settings".to_owned(),
        root.put("/api/option/", &wrong),
    ));
    let mona = move_in(&mut house);
    let bearer = format!("Bearer {token}");
    for model in ["demo-chat", MARKER, "no-such-model"] {
        house.call(model, "/v1/chat/completions", ("authorization", &bearer));
        house.call(model, "/v1/chat/completions", ("x-api-key", &token));
        house.call(
            model,
            &format!("/v1/chat/completions?key={token}"),
            ("x-other", "1"),
        );
        house.call(
            model,
            &format!("/v1/messages?key={UNKNOWN_TOKEN}"),
            ("x-other", "1"),
        );
    }
    house.replies.push((
        "an unknown provider".to_owned(),
        mona.get("/api/oauth/work"),
    ));
    let top_up = json!({"amount": "5", "provider": "stripe"});
    house
        .replies
        .push(("a top-up".to_owned(), mona.post("/api/topup/", &top_up)));
    let signed = [("stripe-signature", "t=1,v1=00")];
    let line = "POST /api/payment/webhook";
    let forged = send(house.program.address, line, &signed, "{}");
    house.replies.push((line.to_owned(), forged));
    let extra = [
        "/api/log/export?format=csv",
        "/api/log/export?format=jsonl",
        "/metrics",
        "/docs",
        "/",
    ]
    .map(str::to_owned);
    house.read_all(&root, &extra);
    house.read_all(&mona, &extra);
    let served = house
        .replies
        .iter()
        .filter(|(_, reply)| reply.status == 200)
        .count();
    assert!(served > 60, "only {served} replies were read");
    house.search();
}

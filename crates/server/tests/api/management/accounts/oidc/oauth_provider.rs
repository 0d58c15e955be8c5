//! A provider that speaks OAuth 2 as GitHub does, made of a socket: codes that work once, for whoever knows the
//! verifier and the secret; errors with the status of success; a profile and a list of addresses behind a token.

use std::collections::HashMap;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::http::{Asked, answer};
use crate::support::Office;

const CLIENT: &str = "gate";
const SECRET: &str = "hush-canary";
const TOKEN: &str = "gho_canary";

/// What a code was given for: the challenge, and the address to come back to as it stood in the query.
type Codes = HashMap<String, (String, String)>;

/// What the provider knows, and what it was asked.
#[derive(Default)]
struct State {
    codes: Codes,
    profile: Value,
    /// None: the token may not see them.
    emails: Option<Value>,
    asked: Vec<String>,
}

pub struct OAuthProvider {
    address: String,
    state: Arc<Mutex<State>>,
}

impl OAuthProvider {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let served = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                serve(stream, &mut served.lock().expect("no panic"));
            }
        });
        let provider = Self { address, state };
        provider.says(&profile(&json!({})), Some(&addresses(true, true)));
        provider
    }

    /// What it says of whoever logs in next.
    pub fn says(&self, profile: &Value, emails: Option<&Value>) {
        let mut state = self.state.lock().expect("no panic");
        state.profile = profile.clone();
        state.emails = emails.cloned();
    }

    /// The paths that it was asked for.
    pub fn asked(&self) -> Vec<String> {
        self.state.lock().expect("no panic").asked.clone()
    }

    /// An entry as `github`, with the preset's addresses led here; `more` goes before and after it.
    pub fn office(&self, (before, after): (&str, &str)) -> Office {
        let entry = format!(
            "preset = \"github\"\nemails_url = \"{}/user/emails\"\n{after}",
            self.address
        );
        self.office_with(before, "github", &entry)
    }

    /// A service that knows it under a name and says so much about it.
    pub fn office_with(&self, before: &str, name: &str, entry: &str) -> Office {
        let address = &self.address;
        Office::with(&format!(
            "[server]\npublic_url = \"http://gate.example\"\n{before}\n[[oauth]]\nname = \"{name}\"\nclient_id = \"{CLIENT}\"\n\
             client_secret = \"{SECRET}\"\nauthorization_url = \"{address}/authorize\"\n\
             token_url = \"{address}/token\"\nuserinfo_url = \"{address}/user\"\n{entry}\n"
        ))
    }

    /// What a person's visit of the page at this address ends with: a code and the state.
    pub fn visit(&self, page: &str) -> (String, String) {
        let start = format!("{}/authorize?", self.address);
        let query = page.strip_prefix(&start).expect("the provider's page");
        let fields: HashMap<&str, &str> = query
            .split('&')
            .filter_map(|field| field.split_once('='))
            .collect();
        assert_eq!(
            (fields["response_type"], fields["client_id"]),
            ("code", CLIENT)
        );
        assert_eq!(fields["code_challenge_method"], "S256");
        let mut state = self.state.lock().expect("no panic");
        let code = format!("code-{}", state.codes.len() + state.asked.len());
        let given_for = (
            fields["code_challenge"].to_owned(),
            fields["redirect_uri"].to_owned(),
        );
        state.codes.insert(code.clone(), given_for);
        (code, fields["state"].to_owned())
    }
}

/// What the profile usually says, with some of it changed.
pub fn profile(changed: &Value) -> Value {
    let mut profile = json!({"login": "mona", "id": 583_231, "name": "Mona Lisa", "email": null});
    for (name, value) in changed.as_object().expect("an object") {
        profile[name] = value.clone();
    }
    profile
}

/// Two addresses, of which the second may be the main one and verified.
pub fn addresses(is_primary: bool, is_verified: bool) -> Value {
    json!([
        {"email": "other@example.org", "primary": !is_primary, "verified": false},
        {"email": "mona@example.org", "primary": is_primary, "verified": is_verified},
    ])
}

fn serve(mut stream: TcpStream, state: &mut State) {
    let Some(asked) = Asked::read(&stream) else {
        return;
    };
    state.asked.push(asked.path().to_owned());
    let is_named = asked.header("user-agent").is_some();
    let is_known = asked.header("authorization") == Some(&format!("Bearer {TOKEN}"));
    let (status, document) = match asked.path() {
        "/token" => (200, exchange(&asked, &mut state.codes)),
        "/user" if is_known && is_named => (200, state.profile.clone()),
        "/user/emails" if is_known && is_named => match &state.emails {
            Some(emails) => (200, emails.clone()),
            None => (403, json!({"message": "Resource not accessible"})),
        },
        _ => (401, json!({"message": "Requires authentication"})),
    };
    answer(&mut stream, status, &document);
}

/// As GitHub does it: what is wrong is told with the status of success.
fn exchange(asked: &Asked, codes: &mut Codes) -> Value {
    let fields: HashMap<&str, &str> = asked
        .body
        .split('&')
        .filter_map(|field| field.split_once('='))
        .collect();
    let field = |name: &str| fields.get(name).copied().unwrap_or_default();
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    let is_client =
        field("client_secret") == SECRET || asked.header("authorization") == Some(basic.as_str());
    if field("client_id") != CLIENT || !is_client {
        return json!({"error": "incorrect_client_credentials"});
    }
    let verifier = field("code_verifier").as_bytes();
    let challenge = URL_SAFE_NO_PAD.encode(ring::digest::digest(&ring::digest::SHA256, verifier));
    let is_good = codes
        .remove(field("code"))
        .is_some_and(|given_for| given_for == (challenge, field("redirect_uri").to_owned()));
    if !is_good || field("grant_type") != "authorization_code" {
        return json!({"error": "bad_verification_code",
            "error_description": "The code passed is incorrect or expired."});
    }
    json!({"access_token": TOKEN, "token_type": "bearer", "scope": "read:user,user:email"})
}

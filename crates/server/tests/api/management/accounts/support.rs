//! People with passwords, and authenticator apps.

use serde_json::{Value, json};
use server::accounts::code_at;
use testkit::FrozenClock;

use crate::support::{Browser, Office};

pub const PASSWORD: &str = "correct horse battery";

/// Registers somebody and stays logged in.
pub fn register(office: &Office, username: &str) -> Browser {
    let browser = Browser::new(office.app.address);
    let body = json!({"username": username, "password": PASSWORD});
    browser.post("/api/user/register", &body).data();
    browser
}

/// An authenticator app that was set up with a secret.
pub struct AuthenticatorApp {
    secret: Vec<u8>,
    clock: FrozenClock,
}

impl AuthenticatorApp {
    /// The code that it shows now.
    pub fn code(&self) -> String {
        self.code_after(0)
    }

    /// The code that it shows so many steps later.
    pub fn code_after(&self, steps: i64) -> String {
        code_at(&self.secret, self.clock.now_ms() / 30_000 + steps)
    }
}

/// Switches the second factor on; the app and the backup codes. The step of the first code is used up.
pub fn enable_second_factor(office: &Office, browser: &Browser) -> (AuthenticatorApp, Vec<String>) {
    let begun = browser.post("/api/user/2fa/setup", &json!({})).data();
    let app = AuthenticatorApp {
        secret: read_base32(
            begun["secret"]
                .as_str()
                .expect("a value of the kind that tests expect"),
        ),
        clock: office.app.clock.clone(),
    };
    let body = json!({"code": app.code()});
    let state = browser.post("/api/user/2fa/enable", &body).data();
    assert_eq!(
        state,
        json!({"enabled": true, "locked": false, "backup_codes_remaining": 10})
    );
    let codes = begun["backup_codes"]
        .as_array()
        .expect("a value of the kind that tests expect")
        .iter();
    (
        app,
        codes
            .map(|code| {
                code.as_str()
                    .expect("a value of the kind that tests expect")
                    .to_owned()
            })
            .collect(),
    )
}

/// The first step of a login; the flow token.
pub fn begin_login(browser: &Browser, username: &str) -> String {
    let body = json!({"username": username, "password": PASSWORD});
    let data = browser.post("/api/user/login", &body).data();
    assert_eq!(data["require_2fa"], true, "{data}");
    data["flow_token"]
        .as_str()
        .expect("a value of the kind that tests expect")
        .to_owned()
}

/// The second step of a login.
pub fn send_code(browser: &Browser, flow_token: &str, code: &str) -> crate::support::Reply {
    let body = json!({"code": code, "flow_token": flow_token});
    browser.post("/api/user/login/2fa", &body)
}

pub fn read_base32(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = alphabet
            .iter()
            .position(|known| *known == letter)
            .expect("a value of the kind that tests expect");
        buffer =
            (buffer << 5) | u32::try_from(value).expect("a value of the kind that tests expect");
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(
                u8::try_from((buffer >> bits) & 0xff)
                    .expect("a value of the kind that tests expect"),
            );
        }
    }
    bytes
}

/// The user of a login reply.
pub fn username(data: &Value) -> &str {
    data["username"]
        .as_str()
        .expect("a value of the kind that tests expect")
}

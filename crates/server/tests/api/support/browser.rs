//! Somebody at a browser: keeps cookies as one does, and sends what headers a test wants.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::client::{Reply, send};

/// A browser that is at first logged in nowhere.
pub struct Browser {
    address: SocketAddr,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl Browser {
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            cookies: Mutex::default(),
        }
    }

    /// A browser that logs in with a password, and no second factor.
    pub fn logged_in(address: SocketAddr, username: &str, password: &str) -> Self {
        let browser = Self::new(address);
        let body = json!({"username": username, "password": password});
        browser.post("/api/user/login", &body).data();
        assert!(browser.cookie("session").is_some());
        browser
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies
            .lock()
            .expect("nobody panics with it")
            .get(name)
            .cloned()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().expect("nobody panics with it");
        cookies.insert(name.to_owned(), value.to_owned());
    }

    pub fn get(&self, path: &str) -> Reply {
        self.call("GET", path, &[], None)
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.call("DELETE", path, &[], None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.call("POST", path, &[], Some(body))
    }

    pub fn put(&self, path: &str, body: &Value) -> Reply {
        self.call("PUT", path, &[], Some(body))
    }

    /// A call with headers of its own; cookies that the reply sets are kept.
    pub fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Reply {
        let cookies = self.cookies.lock().expect("nobody panics with it").clone();
        let pairs: Vec<String> = cookies.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let line = pairs.join("; ");
        let mut all = vec![("content-type", "application/json")];
        if !line.is_empty() {
            all.push(("cookie", &line));
        }
        all.extend(headers);
        let body = body.map(Value::to_string).unwrap_or_default();
        let reply = send(self.address, &format!("{method} {path}"), &all, &body);
        self.keep(&reply);
        reply
    }

    fn keep(&self, reply: &Reply) {
        let mut cookies = self.cookies.lock().expect("nobody panics with it");
        for (name, line) in &reply.headers {
            let Some((key, value)) = line.split(';').next().and_then(|pair| pair.split_once('='))
            else {
                continue;
            };
            if name == "set-cookie" && line.contains("Max-Age=0") {
                cookies.remove(key);
            } else if name == "set-cookie" {
                cookies.insert(key.to_owned(), value.to_owned());
            }
        }
    }
}

//! The service with set-up done and people of every level in it. Root calls with a fresh login session, the others
//! with access tokens.

use std::net::SocketAddr;

use axum::Router;
use serde_json::Value;
use server::accounts::{DEFAULT_GROUP, SESSION_PURPOSE, SetUp, set_up};
use server::background::announce;
use server::config::{Dollars, Secret};
use server::management::frame::{PAT_PREFIX, PAT_PURPOSE};
use server::secrets::hash_token;
use store::access_tokens::NewAccessToken;
use store::sessions::{self, NewSession};
use store::shared::Change;
use store::users::{self, NewUser, Role};
use store::{Store, UserId, access_tokens};

use super::app::TestApp;
use super::client::{Connection, Reply, send};

const ALL_SCOPES: &str = "read write billing";

/// Root's password.
pub const ROOT_PASSWORD: &str = "correct horse battery";

/// A running service and the people in it.
pub struct Office {
    pub app: TestApp,
    pub root: Actor,
    pub administrator: Actor,
    pub user: Actor,
    pub other_user: Actor,
    pub nobody: Actor,
}

impl Office {
    /// Set up with the demo channel.
    pub fn open() -> Self {
        Self::with("")
    }

    /// The same with a configuration.
    pub fn with(configuration: &str) -> Self {
        let app = TestApp::with(configuration, Router::new());
        let actor = |name: &str, role| block_on(hire(&app, name, role));
        let root = block_on(set_up_root(&app));
        Self {
            root,
            administrator: actor("adam", Role::Administrator),
            user: actor("uma", Role::User),
            other_user: actor("otto", Role::User),
            nobody: Actor {
                address: app.address,
                id: UserId(0),
                token: None,
                session: None,
            },
            app,
        }
    }

    /// Makes one more person.
    pub fn hire(&self, name: &str, role: Role) -> Actor {
        block_on(hire(&self.app, name, role))
    }

    /// An access token of a user with these scopes.
    pub fn access_token(&self, id: UserId, scopes: &str) -> Actor {
        block_on(Actor::with_access_token(&self.app, id, scopes))
    }

    /// A login session of a user, fresh or from before.
    pub fn session(&self, id: UserId, is_proved: bool) -> Actor {
        block_on(Actor::with_session(&self.app, id, is_proved))
    }

    /// Looks into the records, or changes them behind the service's back.
    pub fn records<T>(&self, look: impl AsyncFnOnce(&Store) -> T) -> T {
        block_on(look(self.app.app.store()))
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(work)
}

async fn set_up_root(app: &TestApp) -> Actor {
    let request = SetUp {
        username: "root".to_owned(),
        password: Secret::new(ROOT_PASSWORD),
        demo: true,
        token_name: None,
        grant: Dollars::whole(100),
        mode: None,
    };
    let service = &app.app;
    let done = set_up(
        service.store(),
        service.keys(),
        service.clock(),
        service.randomness(),
        request,
    );
    let root = done.await.expect("set-up works").user_id;
    announce(service, Change::Everything).await;
    let session = Actor::with_session(app, root, true).await.session;
    Actor {
        session,
        ..Actor::with_access_token(app, root, ALL_SCOPES).await
    }
}

async fn hire(app: &TestApp, name: &str, role: Role) -> Actor {
    let transaction = app.app.store().write().await.expect("a transaction");
    let new = NewUser {
        username: name.to_owned(),
        email: None,
        display_name: name.to_owned(),
        password_hash: None,
        role,
        group_name: DEFAULT_GROUP.to_owned(),
        aff_code: format!("code-{name}"),
        inviter_id: None,
        created_at: app.app.clock().now_ms(),
    };
    let user = users::insert(&transaction, new).await.expect("a user");
    transaction.commit().await.expect("a commit");
    Actor::with_access_token(app, user.id, ALL_SCOPES).await
}

/// Somebody who calls the management interface.
pub struct Actor {
    pub id: UserId,
    pub token: Option<String>,
    /// Comes before the token.
    session: Option<String>,
    address: SocketAddr,
}

impl Actor {
    async fn with_access_token(app: &TestApp, id: UserId, scopes: &str) -> Self {
        let token = format!(
            "{PAT_PREFIX}of-user-{id}-{}-for-tests",
            scopes.replace(' ', "-")
        );
        let hash = hash_token(app.app.keys(), PAT_PURPOSE, &token);
        let transaction = app.app.store().write().await.expect("a transaction");
        let new = NewAccessToken {
            user_id: id,
            name: "test",
            secret_hash: &hash,
            scopes,
            expires_at: i64::MAX,
        };
        let made = access_tokens::insert(&transaction, new, 0);
        made.await.expect("an access token");
        transaction.commit().await.expect("a commit");
        Self {
            id,
            token: Some(token),
            session: None,
            address: app.address,
        }
    }

    async fn with_session(app: &TestApp, id: UserId, is_proved: bool) -> Self {
        let secret = format!("session-of-{id}-{is_proved}");
        let user = users::get(app.app.store().read(), id).await;
        let user = user.expect("the records work").expect("a user");
        let transaction = app.app.store().write().await.expect("a transaction");
        let new = NewSession {
            secret_hash: hash_token(app.app.keys(), SESSION_PURPOSE, &secret).to_vec(),
            user_id: id,
            auth_version: user.auth_version,
            ip: None,
            user_agent: None,
            now: app.app.clock().now_ms(),
            expires_at: i64::MAX,
            is_proved,
        };
        sessions::insert(&transaction, new)
            .await
            .expect("a session");
        transaction.commit().await.expect("a commit");
        Self {
            id,
            token: None,
            session: Some(secret),
            address: app.address,
        }
    }

    /// The header of its credential.
    fn credential(&self) -> Option<(&'static str, String)> {
        let session = self.session.as_ref();
        let session = session.map(|secret| ("cookie", format!("session={secret}")));
        let token = self.token.as_ref();
        session.or_else(|| Some(("authorization", format!("Bearer {}", token?))))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.call("GET", path, None)
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.call("DELETE", path, None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.call("POST", path, Some(body))
    }

    pub fn put(&self, path: &str, body: &Value) -> Reply {
        self.call("PUT", path, Some(body))
    }

    /// Posts a file.
    pub fn upload(&self, path: &str, bytes: &[u8]) -> Reply {
        let mut connection = Connection::open(self.address);
        let (name, credential) = self.credential().expect("somebody");
        connection.write(&format!(
            "POST {path} HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\n\
             {name}: {credential}\r\ncontent-type: application/octet-stream\r\n\
             content-length: {}\r\n\r\n",
            bytes.len()
        ));
        connection.write_bytes(bytes);
        connection.read_to_end()
    }

    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let credential = self.credential();
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(
            credential
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        );
        let body = body.map(Value::to_string).unwrap_or_default();
        send(self.address, &format!("{method} {path}"), &headers, &body)
    }
}

impl Reply {
    /// The data of a call that worked.
    pub fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()["data"].clone()
    }

    /// Status, code and text of a call that was refused.
    pub fn refusal(&self) -> (u16, String, String) {
        let json = self.json();
        assert_eq!(json["success"], false, "{self:?}");
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        (self.status, text("code"), text("message"))
    }
}

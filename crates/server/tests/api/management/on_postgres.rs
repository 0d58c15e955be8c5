//! What only PostgreSQL shows: administrators who really race, and texts that it does not take.

use serde_json::json;
use tempfile::TempDir;

use crate::nodes::empty_database;
use crate::support::{Browser, Program, run_with, send};

/// A node that was set up.
struct Node {
    program: Program,
    token: String,
    _folder: TempDir,
}

impl Node {
    fn start(database: &str) -> Self {
        let url = empty_database(database);
        let folder = TempDir::new().expect("a folder");
        let data = folder.path().to_str().expect("text");
        let environment = [("MODELGATE_DATABASE__URL", url.as_str())];
        let set_up = [
            "setup",
            "--data",
            data,
            "--password-stdin",
            "--demo",
            "--token",
            "first",
        ];
        let done = run_with(&set_up, &environment, "correct horse\n");
        let printed: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
        let program = Program::serve(&["--data", data], &environment);
        Self {
            program,
            token: printed["token"].as_str().expect("a token").to_owned(),
            _folder: folder,
        }
    }

    fn root(&self) -> Browser {
        Browser::logged_in(self.program.address, "root", "correct horse")
    }
}

#[test]
fn administrators_who_set_a_balance_at_once_set_it_once() {
    let node = Node::start("balances");
    let root = node.root();
    let made = root.post(
        "/api/user/",
        &json!({"username": "ann", "password": "a long password", "quota": 1_000_000}),
    );
    let id = made.data()["id"].clone();
    let read = || {
        let user = root.get(&format!("/api/user/{id}")).data();
        user["quota"].as_i64().unwrap()
    };
    let all_at_once = |call: &(dyn Fn() -> u16 + Sync)| -> Vec<u16> {
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..8).map(|_| scope.spawn(call)).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        })
    };
    let wanted = json!({"id": id, "quota": 300});
    let set = all_at_once(&|| root.put("/api/user/", &wanted).status);
    assert_eq!((set, read()), (vec![200; 8], 300));
    // Of many who take all of it, one does.
    let taken = json!({"id": id, "action": "add_quota", "value": -300});
    let mut statuses = all_at_once(&|| root.post("/api/user/manage", &taken).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400, 400, 400, 400, 400]);
    assert_eq!(read(), 0);
}

#[test]
fn a_nul_character_is_refused_and_breaks_nothing() {
    let node = Node::start("nul");
    let nobody = Browser::new(node.program.address);
    let login = json!({"username": "a\u{0}b", "password": "correct horse"});
    assert_eq!(nobody.post("/api/user/login", &login).refusal().0, 400);
    assert_eq!(nobody.get("/api/user/aff/%00").refusal().0, 400);
    let root = node.root();
    for path in [
        "/api/user/?search=%00",
        "/api/log/%00",
        "/api/token/?search=a%00b",
    ] {
        assert_eq!(root.get(path).refusal().0, 400, "{path}");
    }
    let codes = json!({"name": "a\u{0}", "quota": 1, "count": 1});
    assert_eq!(root.post("/api/redemption/", &codes).refusal().0, 400);
    let bearer = format!("Bearer {}", node.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let address = node.program.address;
    let kept = send(address, "GET /v1/responses/resp_%00", &headers, "");
    assert_eq!(kept.status, 404, "{}", kept.body);
    let body = json!({"model": "demo-chat", "input": "x", "previous_response_id": "\u{0}"});
    let next = send(address, "POST /v1/responses", &headers, &body.to_string());
    assert_eq!(next.status, 400, "{}", next.body);
    assert!(next.body.contains("was not found"), "{}", next.body);
}

//! A service to import into, and how to look at everything that is in it.

use std::time::Duration;

use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};
use store::ledger::verify;
use tempfile::TempDir;

use crate::support::{Office, Reply, send};

/// Longest wait for a task.
const PATIENCE: Duration = Duration::from_mins(1);

/// A service with a data folder of its own.
pub struct Gate {
    pub office: Office,
    pub folder: TempDir,
}

/// Everything that an import may touch, as text: what is the same is the same.
const LOOKS: [&str; 10] = [
    "SELECT id || username || COALESCE(email, '') || role || status || group_name || used_nanos \
     || request_count || aff_code || COALESCE(inviter_id, 0) || remark FROM users \
     WHERE deleted_at IS NULL ORDER BY id",
    "SELECT id || name || prefix || status || models || cidrs || COALESCE(group_name, '') \
     || COALESCE(budget_total_nanos, -1) || used_nanos || COALESCE(expires_at, 0) FROM tokens \
     ORDER BY id",
    "SELECT id || name || provider || base_url || models || model_mapping || groups || priority \
     || weight || state FROM channels ORDER BY id",
    "SELECT channel_id || ':' || position || pinned_host FROM channel_keys ORDER BY id",
    "SELECT name || multiplier_ppm FROM groups ORDER BY name",
    "SELECT model || sheet || source FROM prices ORDER BY id",
    "SELECT name || credit_nanos || COALESCE(disabled_at, 0) FROM redemption_codes ORDER BY id",
    "SELECT inviter_id || ':' || invitee_id FROM referrals ORDER BY invitee_id",
    "SELECT kind || COALESCE(user_id, 0) || ':' || balance_nanos FROM ledger_accounts \
     WHERE balance_nanos <> 0 ORDER BY kind, user_id",
    "SELECT source || entity || foreign_id || our_id FROM import_items ORDER BY id",
];

impl Gate {
    /// Set up with the demo channel.
    pub fn open() -> Self {
        let folder = TempDir::new().expect("a folder");
        let office = Office::with(&format!(
            "[server]\ndata_dir = \"{}\"\n",
            folder.path().display()
        ));
        Self { office, folder }
    }

    /// Everything that an import may touch.
    pub fn look(&self) -> Vec<Vec<String>> {
        self.office.records(async |store| {
            let mut seen = Vec::new();
            for text in LOOKS {
                let backend = store.read().get_database_backend();
                let statement = Statement::from_string(backend, text);
                let rows = store.read().query_all_raw(statement).await.expect("rows");
                let rows = rows
                    .iter()
                    .map(|row| row.try_get_by_index(0).expect("text"));
                seen.push(rows.collect());
            }
            let ledger = verify(store.read()).await.expect("a ledger");
            assert!(ledger.differences.is_empty(), "{ledger:?}");
            seen
        })
    }

    /// Uploads that were not cleaned up.
    pub fn left_files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).expect("a folder");
        let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        names.filter(|name| name.starts_with("import-")).collect()
    }

    /// Begins an import and gives its report.
    pub fn import(&self, kind: &str, more: &str, source: &[u8]) -> Value {
        let task = self.finish(&self.begin(kind, more, source));
        assert_eq!(task["state"], "done", "{task}");
        task["result"].clone()
    }

    /// Begins an import.
    pub fn begin(&self, kind: &str, more: &str, source: &[u8]) -> Reply {
        let path = format!("/api/import/?kind={kind}{more}");
        self.office.root.upload(&path, source)
    }

    /// Undoes an import and gives the report.
    pub fn undo(&self, id: &Value) -> Value {
        let path = format!("/api/import/{id}/undo");
        let task = self.finish(&self.office.root.post(&path, &json!({})));
        assert_eq!(task["state"], "done", "{task}");
        task["result"].clone()
    }

    /// Waits for the task that a reply names.
    pub fn finish(&self, begun: &Reply) -> Value {
        let data = begun.data();
        let id = data["task_id"].as_str().expect("a task");
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            let task = self.office.root.get(&format!("/api/task/{id}")).data();
            if task["state"] != "running" {
                return task;
            }
            assert!(std::time::Instant::now() < until, "{task}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A call with a token to the demo channel.
    pub fn call(&self, token: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("content-type", "application/json"),
            ("authorization", bearer.as_str()),
        ];
        let body = json!({
            "model": "demo-chat",
            "messages": [{"role": "user", "content": "hello"}],
            "max_tokens": 8,
        });
        let line = "POST /v1/chat/completions";
        send(self.office.app.address, line, &headers, &body.to_string())
    }
}

/// The count of a kind in a report.
pub fn count(report: &Value, entity: &str) -> [i64; 4] {
    let counts = report["counts"].as_array().expect("counts");
    let count = counts.iter().find(|count| count["entity"] == entity);
    let count = count.unwrap_or_else(|| panic!("no {entity} in {report}"));
    ["found", "created", "known", "left_out"].map(|key| count[key].as_i64().expect("a number"))
}

/// Whether a note says this of something.
pub fn has_note(report: &Value, words: &str, item: &str) -> bool {
    let notes = report["notes"].as_array().expect("notes");
    notes.iter().any(|note| {
        let has = |text: &Value, words: &str| text.as_str().is_some_and(|t| t.contains(words));
        let items = note["items"].as_array().expect("items");
        has(&note["reason"], words) && items.iter().any(|one| has(one, item))
    })
}

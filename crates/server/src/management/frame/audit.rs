//! The audit log's entries: who did what to which record, field by field. Views are compared, never
//! records: a view holds no secret.

use serde::Serialize;
use serde_json::{Map, Value, json};
use store::audit_log::{self, NewAuditEntry};
use store::{Result, Transaction};

use super::access::Identity;

/// An act to note.
#[derive(Debug)]
pub struct Act {
    /// What was done, for example `channel.update`.
    pub action: &'static str,
    /// To what kind of thing, for example `channel`.
    pub object_kind: &'static str,
    /// To which one.
    pub object_id: String,
    /// What changed, as [`changes_between`] gives it.
    pub changes: Value,
}

impl Act {
    /// Notes the act in the transaction that carries it out.
    pub async fn note(self, transaction: &Transaction, actor: &Identity, now: i64) -> Result<()> {
        let entry = NewAuditEntry {
            created_at: now,
            actor_id: Some(actor.id()),
            action: self.action.to_owned(),
            object_kind: self.object_kind.to_owned(),
            object_id: self.object_id,
            changes: self.changes,
            outcome: "done".to_owned(),
            ip: Some(actor.caller.address.to_string()),
            request_id: Some(actor.caller.request_id.to_string()),
        };
        audit_log::append(transaction, &entry).await
    }
}

/// `{"field": {"from": …, "to": …}}` for every field that differs between two views of a record;
/// `()` stands for no record, before it was made or after it was deleted.
pub fn changes_between(before: &impl Serialize, after: &impl Serialize) -> Value {
    let (before, after) = (fields(before), fields(after));
    let mut changes = Map::new();
    for name in before.keys().chain(after.keys()) {
        let (from, to) = (before.get(name), after.get(name));
        if from != to && !changes.contains_key(name) {
            let mut change = Map::new();
            change.extend(from.map(|from| ("from".to_owned(), from.clone())));
            change.extend(to.map(|to| ("to".to_owned(), to.clone())));
            changes.insert(name.clone(), Value::Object(change));
        }
    }
    json!(changes)
}

fn fields(view: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(view) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_noted() {
        let before = json!({"name": "a", "rpm": 1, "tags": []});
        let after = json!({"name": "b", "rpm": 1, "tags": ["x"]});
        assert_eq!(
            changes_between(&before, &after),
            json!({"name": {"from": "a", "to": "b"}, "tags": {"from": [], "to": ["x"]}})
        );
        assert_eq!(
            changes_between(&(), &json!({"id": 1})),
            json!({"id": {"to": 1}})
        );
        assert_eq!(
            changes_between(&json!({"id": 1}), &()),
            json!({"id": {"from": 1}})
        );
    }
}

//! Taking an import out again.

use serde_json::{Value, json};

use super::office::{Gate, has_note};
use super::rows::{CODE, Foreign, LIMITED, UNLIMITED};

fn removed(report: &Value, entity: &str) -> (i64, i64) {
    let counts = report["counts"].as_array().expect("counts");
    let count = counts
        .iter()
        .find(|count| count["entity"] == entity)
        .expect("a count");
    let number = |key: &str| count[key].as_i64().expect("a number");
    (number("removed"), number("kept"))
}

#[test]
fn undo_leaves_nothing_behind_and_can_be_followed_by_the_same_import() {
    let gate = Gate::open();
    let dump = Foreign::new_api().mysql_dump();
    let before = gate.look();
    let report = gate.import("new-api", "", dump.as_bytes());
    let first = gate.look();
    assert_ne!(first, before);
    let undone = gate.undo(&report["import_id"]);
    assert_eq!(gate.look(), before, "{undone}");
    assert_eq!(removed(&undone, "users"), (3, 0));
    assert_eq!(undone["returned_usd"], "2.01");
    assert_eq!(gate.call(&format!("sk-{UNLIMITED}")).status, 401);
    let path = format!("/api/import/{}", report["import_id"]);
    let import = gate.office.root.get(&path).data();
    assert_eq!(
        (&import["import"]["state"], &import["import"]["records"]),
        (&json!("undone"), &json!(0))
    );
    assert_eq!(import["report"], report);
    assert_eq!(import["undo_report"], undone);
    let again = gate.office.root.post(&format!("{path}/undo"), &json!({}));
    assert_eq!(again.refusal().0, 409);

    let second = gate.import("new-api", "", dump.as_bytes());
    assert_eq!(second["counts"], report["counts"]);
    assert_eq!(second["credited_usd"], "2");
    assert_eq!(gate.call(&format!("sk-{UNLIMITED}")).status, 200);
    let acts = gate
        .office
        .root
        .get("/api/audit/?limit=50")
        .data()
        .to_string();
    assert!(
        acts.contains("import.run") && acts.contains("import.undo"),
        "{acts}"
    );
}

#[test]
fn users_who_called_here_since_are_kept_and_named() {
    let gate = Gate::open();
    let report = gate.import("one-api", "", Foreign::one_api().mysql_dump().as_bytes());
    assert_eq!(gate.call(&format!("sk-{UNLIMITED}")).status, 200);
    let taken = gate
        .office
        .user
        .post("/api/redemption/redeem", &json!({"code": CODE}));
    assert_eq!(taken.status, 200, "{taken:?}");
    let undone = gate.undo(&report["import_id"]);
    assert_eq!(removed(&undone, "users"), (2, 1));
    assert_eq!(removed(&undone, "tokens"), (0, 3));
    assert_eq!(removed(&undone, "channels"), (2, 0));
    assert_eq!(removed(&undone, "codes"), (0, 1));
    assert!(has_note(&undone, "calls here since", "2 (here"), "{undone}");
    assert!(
        has_note(&undone, "somebody redeemed it", "1 (here"),
        "{undone}"
    );
    assert_eq!(
        gate.call(&format!("sk-{LIMITED}")).status,
        200,
        "it goes on"
    );
    let list = gate.office.root.get("/api/import/").data();
    assert_eq!(list["items"][0]["state"], "partly_undone");
    gate.look();
}

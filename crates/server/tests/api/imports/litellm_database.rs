//! LiteLLM's database: users, teams and keys, of which it knows the SHA-256 alone. Clients go on sending what
//! they sent.

use sea_orm::{ConnectionTrait as _, Database};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::command::{Installation, report};
use super::office::{Gate, count, has_note};
use crate::nodes::empty_database;

const LAPTOP: &str = "sk-litellm-laptop-0123";
const CLUSTER: &str = "sk-litellm-cluster-0123";
const BARE: &str = "sk-litellm-bare-0123456";
const BLOCKED: &str = "sk-litellm-blocked-0123";
const OVER: &str = "sk-litellm-over-0123456";
const OF_CLOSED: &str = "sk-litellm-closed-01234";
const OF_PAGES: &str = "sk-litellm-pages-012345";
const OF_MANAGERS: &str = "sk-litellm-managers-012";
const OF_OTHERS: &str = "sk-litellm-others-01234";
const NARROW: &str = "sk-litellm-narrow-01234";

/// The tables with their columns, as LiteLLM's own schema types them.
const TABLES: [(&str, &str); 5] = [
    (
        "LiteLLM_BudgetTable",
        "budget_id TEXT, max_budget DOUBLE PRECISION, rpm_limit BIGINT, budget_duration TEXT",
    ),
    (
        "LiteLLM_UserTable",
        "user_id TEXT, user_alias TEXT, user_email TEXT, user_role TEXT, max_budget DOUBLE PRECISION, \
         spend DOUBLE PRECISION, models TEXT[], created_at TIMESTAMP(3)",
    ),
    (
        "LiteLLM_TeamTable",
        "team_id TEXT, team_alias TEXT, max_budget DOUBLE PRECISION, budget_duration TEXT, \
         spend DOUBLE PRECISION, models TEXT[], blocked BOOLEAN",
    ),
    (
        "LiteLLM_VerificationToken",
        "token TEXT, key_name TEXT, key_alias TEXT, user_id TEXT, team_id TEXT, models TEXT[], \
         spend DOUBLE PRECISION, max_budget DOUBLE PRECISION, budget_id TEXT, expires TIMESTAMP(3), \
         blocked BOOLEAN, allowed_routes TEXT[]",
    ),
    (
        "LiteLLM_ProxyModelTable",
        "model_id TEXT, litellm_params JSONB",
    ),
];

/// A row a line: the table, then its cells; `-` is NULL, `#KEY` the hash of a key.
fn rows() -> Vec<(&'static str, Vec<String>)> {
    let text = format!(
        "LiteLLM_BudgetTable | day | 5 | 60 | 1d
LiteLLM_UserTable | u1 | - | ann@example.org | internal_user | 20 | 1.5 | {{}} | 2024-05-06 07:08:09.123
LiteLLM_UserTable | u2 | boss | - | proxy_admin | - | 0 | {{}} | -
LiteLLM_TeamTable | t1 | research | 100 | 30d | 3 | {{demo-chat,demo-embedding}} | f
LiteLLM_TeamTable | t2 | closed | - | - | 0 | {{}} | t
LiteLLM_VerificationToken | #{LAPTOP} | sk-...0123 | laptop | u1 | - | {{}} | 0.5 | 2 | - | - | - | {{}}
LiteLLM_VerificationToken | #{CLUSTER} | sk-...0123 | cluster | u1 | t1 | {{all-team-models}} | 0 | - | day | - | - | {{llm_api_routes}}
LiteLLM_VerificationToken | #{BARE} | - | bare | - | - | {{\"openai/*\",\"*-chat\"}} | 0 | - | - | - | - | {{}}
LiteLLM_VerificationToken | #{BLOCKED} | - | blocked | u1 | - | {{}} | 0 | - | - | - | t | {{}}
LiteLLM_VerificationToken | #{OVER} | - | over | u1 | - | {{}} | 0 | - | - | 2020-01-01 00:00:00 | - | {{}}
LiteLLM_VerificationToken | #{OF_CLOSED} | - | of closed | - | t2 | {{}} | 0 | - | - | - | - | {{}}
LiteLLM_VerificationToken | #{OF_PAGES} | - | pages | u2 | litellm-dashboard | {{}} | 0 | - | - | - | - | {{}}
LiteLLM_VerificationToken | #{OF_MANAGERS} | - | managers | u2 | - | {{}} | 0 | - | - | - | - | {{management_routes}}
LiteLLM_VerificationToken | #{OF_OTHERS} | - | others | - | t1 | {{gpt-9}} | 0 | - | - | - | - | {{}}
LiteLLM_VerificationToken | #{NARROW} | - | narrow | - | t1 | {{demo-c*,gpt-9}} | 0 | - | - | - | - | {{}}
LiteLLM_ProxyModelTable | m1 | {{}}"
    );
    let line = |line: &str| {
        let mut cells = line.split(" | ").map(str::to_owned);
        let name = cells.next().unwrap_or_default();
        let table = TABLES.iter().find(|(table, _)| *table == name);
        let cells = cells.map(|cell| match cell.strip_prefix('#') {
            Some(key) => hash(key),
            None => cell,
        });
        (table.expect("a table").0, cells.collect())
    };
    text.lines().map(line).collect()
}

fn hash(key: &str) -> String {
    hex::encode(Sha256::digest(key))
}

fn names(columns: &str) -> Vec<&str> {
    let words = columns.split(", ");
    words
        .filter_map(|one| one.split_whitespace().next())
        .collect()
}

/// As `pg_dump` writes it.
fn dump() -> String {
    let mut text =
        "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n".to_owned();
    for (table, columns) in TABLES {
        let created = format!("CREATE TABLE public.\"{table}\" (\n    {columns}\n);\n");
        text.push_str(&created);
    }
    for (table, columns) in TABLES {
        let columns = names(columns).join(", ");
        let copied = format!("COPY public.\"{table}\" ({columns}) FROM stdin;\n");
        text.push_str(&copied);
        for (_, cells) in rows().iter().filter(|(name, _)| *name == table) {
            let cells = cells.iter().map(|cell| match cell.as_str() {
                "-" => "\\N".to_owned(),
                other => other.replace('\\', "\\\\"),
            });
            text += &cells.collect::<Vec<_>>().join("\t");
            text += "\n";
        }
        text += "\\.\n\n";
    }
    text
}

/// What a report says, whatever the order in which the rows came.
fn notes(report: &Value) -> Vec<String> {
    let notes = report["notes"].as_array().expect("notes").iter();
    let mut texts: Vec<String> = notes
        .map(|note| {
            let items = note["items"].as_array().expect("items").iter();
            let mut items: Vec<String> = items.map(Value::to_string).collect();
            items.sort_unstable();
            format!("{} {items:?}", note["reason"])
        })
        .collect();
    texts.sort_unstable();
    texts
}

fn owner(gate: &Gate, name: &str) -> Value {
    let path = format!("/api/user/?search={name}");
    let found = gate.office.root.get(&path).data();
    found["items"][0].clone()
}

fn tokens(gate: &Gate, owner: &Value) -> Vec<Value> {
    let path = format!("/api/token/?user_id={}", owner["id"]);
    let found = gate.office.root.get(&path).data();
    found["items"].as_array().expect("a list").clone()
}

#[test]
fn keys_of_litellm_go_on_working_and_can_do_no_more_than_there() {
    let gate = Gate::open();
    assert_eq!(gate.call(LAPTOP).status, 401);
    let report = gate.import("litellm", "&balance_usd=10.5", dump().as_bytes());
    assert_eq!(report["format"], "postgres_dump");
    assert_eq!(count(&report, "users"), [5, 5, 0, 0]);
    assert_eq!(count(&report, "tokens"), [10, 7, 0, 3]);
    assert_eq!(report["credited_usd"], "52.5");
    assert!(has_note(&report, "encrypted", "LiteLLM_ProxyModelTable"));
    assert!(has_note(&report, "not for model calls", "managers"));
    assert!(has_note(&report, "LiteLLM's own pages", "pages"));
    assert!(has_note(&report, "before its end", "bare"));
    assert!(has_note(&report, "one of its owner's", "others"));

    for (key, status) in [
        (LAPTOP, 200),
        (CLUSTER, 200),
        (BARE, 403),
        (BLOCKED, 401),
        (OVER, 401),
        (OF_CLOSED, 401),
        (OF_PAGES, 401),
        (OF_MANAGERS, 401),
        (OF_OTHERS, 401),
        (NARROW, 200),
        (hash(LAPTOP).as_str(), 401),
    ] {
        let reply = gate.call(key);
        assert_eq!(reply.status, status, "{key}: {}", reply.body);
    }

    let ann = owner(&gate, "ann");
    assert_eq!(ann["email"], "ann@example.org");
    assert_eq!(ann["budget_total_usd"], "20");
    let laptop = tokens(&gate, &ann);
    let laptop = laptop.iter().find(|token| token["name"] == "laptop");
    let laptop = laptop.expect("a token");
    assert_eq!(
        (&laptop["budget_total_usd"], &laptop["prefix"]),
        (&json!("2"), &json!("sk-...0123"))
    );
    assert_eq!(owner(&gate, "boss")["role"], 10);
    let team = owner(&gate, "research");
    assert_eq!(team["budget_monthly_usd"], "100");
    let of_team = tokens(&gate, &team);
    let named = |name: &str| of_team.iter().find(|token| token["name"] == name);
    let narrow = named("narrow").expect("a token");
    assert_eq!(narrow["models"], json!(["demo-chat"]));
    let cluster = named("cluster").expect("a token");
    assert_eq!(cluster["models"], json!(["demo-chat", "demo-embedding"]));
    assert_eq!(
        (&cluster["budget_daily_usd"], &cluster["rpm"]),
        (&json!("5"), &json!(60))
    );

    let again = gate.import("litellm", "&balance_usd=10.5", dump().as_bytes());
    assert_eq!(again["credited_usd"], "0");
    assert_eq!(count(&again, "tokens"), [10, 0, 7, 3]);
    let kept = gate.office.records(async |store| {
        let text = "SELECT foreign_id || mark FROM import_items";
        let backend = store.read().get_database_backend();
        let statement = sea_orm::Statement::from_string(backend, text);
        let rows = store.read().query_all_raw(statement).await.expect("rows");
        let texts = rows
            .iter()
            .map(|row| row.try_get_by_index(0).expect("text"));
        texts.collect::<Vec<String>>()
    });
    assert!(kept.iter().all(|text| !text.contains(&hash(LAPTOP))));
}

#[test]
fn a_server_of_litellms_is_read_as_its_dump_is() {
    let gate = Gate::open();
    let before = gate.look();
    let wrong = gate.begin("litellm", "&balance_usd=-1", dump().as_bytes());
    assert!(wrong.refusal().2.contains("balance_usd"));
    let of_dump = gate.import("litellm", "", dump().as_bytes());
    gate.undo(&of_dump["import_id"]);
    assert_eq!(gate.look(), before);

    let url = empty_database("litellm");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let server = Database::connect(&url).await.expect("a server");
        for (table, columns) in TABLES {
            let text = format!("CREATE TABLE \"{table}\" ({columns})");
            server.execute_unprepared(&text).await.expect("a table");
        }
        for (table, cells) in rows() {
            let cells = cells.iter().map(|cell| match cell.as_str() {
                "-" => "NULL".to_owned(),
                other => format!("'{other}'"),
            });
            let cells = cells.collect::<Vec<_>>().join(", ");
            let text = format!("INSERT INTO \"{table}\" VALUES ({cells})");
            server.execute_unprepared(&text).await.expect("a row");
        }
    });
    let here = Installation::new(None);
    let of_server = report(&here.import(&["litellm", &url, "--balance-usd", "2", "--json"]));
    assert_eq!(of_server["format"], "postgres");
    assert_eq!(of_server["counts"], of_dump["counts"]);
    assert_eq!(notes(&of_server), notes(&of_dump));
    assert_eq!(of_server["credited_usd"], "10");
}

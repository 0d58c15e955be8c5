//! Sources that are broken, wrong or made to do harm: a clear refusal, and nothing is changed.

use super::office::Gate;
use super::rows::Foreign;

#[test]
fn what_cannot_be_used_is_refused_with_the_reason_and_changes_nothing() {
    let gate = Gate::open();
    let before = gate.look();
    let dump = Foreign::one_api().mysql_dump();
    let cut = &dump[..dump.find("sk-two").expect("a key")];
    let huge = Foreign::one_api()
        .with(&format!("tokens | id=9 | name={}", "x".repeat(2 << 20)))
        .mysql_dump();
    let path = gate.folder.path().join("damaged.db");
    Foreign::one_api().sqlite(&path);
    let mut damaged = std::fs::read(&path).expect("a file");
    let length = damaged.len();
    damaged[100..].fill(0xff);
    let view = b"SQLite format 3\0and nothing else";
    let other_table = dump.replace("`users`", "`people`");
    let few_columns = dump.replace("`quota`", "`coins`");
    let twice = dump.replace("(1,'root'", "(1,'root','more'");
    for (kind, source, words) in [
        ("one-api", cut.as_bytes(), "the dump was cut"),
        ("one-api", huge.as_bytes(), "longer than"),
        ("one-api", &damaged[..length], "cannot be read"),
        ("one-api", view, "cannot be read"),
        ("one-api", b"hello", "neither a SQLite file nor a dump"),
        ("one-api", b"PGDMP\x01", "--format=plain"),
        ("one-api", &[0x1f, 0x8b, 0x08], "compressed"),
        ("one-api", other_table.as_bytes(), "no table `users`"),
        ("one-api", few_columns.as_bytes(), "no column `quota`"),
        ("one-api", twice.as_bytes(), "values for"),
        (
            "new-api",
            dump.as_bytes(),
            "looks like a database of one-api",
        ),
        ("litellm", dump.as_bytes(), "is this a database of LiteLLM?"),
        ("litellm", b"model_list: [", "not YAML"),
    ] {
        let reply = gate.begin(kind, "", source);
        let (status, code, message) = reply.refusal();
        assert_eq!(
            (status, code.as_str()),
            (400, "invalid_request"),
            "{message}"
        );
        assert!(message.contains(words), "{words}: {message}");
    }
    let (status, _, message) = gate.begin("nothing", "", b"x").refusal();
    assert_eq!(
        (status, message.as_str()),
        (400, "kind: must be one-api, new-api or litellm")
    );
    assert_eq!(gate.begin("one-api", "", b"").status, 400);
    assert_eq!(gate.look(), before);
    assert_eq!(gate.office.root.get("/api/import/").data()["total"], 0);
    assert_eq!(gate.left_files(), [""; 0]);
}

#[test]
fn balances_and_numbers_beyond_all_bounds_are_left_behind() {
    let gate = Gate::open();
    let dump = Foreign::one_api()
        .with(
            "users | id=9 | username=croesus\u{7}@x | password=$2a$31$ | role=7 | status=1 \
             | quota=9223372036854775807 | group=a b/c | email=no address | aff_code=al1C",
        )
        .with("tokens | id=9 | user_id=9 | key=short | status=1")
        .with(
            "tokens | id=10 | user_id=9 | key=a-key-of-its-own-kind | status=1 \
             | subnet=not a network | unlimited_quota=1",
        )
        .mysql_dump();
    let report = gate.import("one-api", "", dump.as_bytes());
    for (words, item) in [
        ("beyond all bounds", "9 croesus"),
        ("another one is given", "9 croesus"),
        ("e-mail address is taken here, or is none", "9 croesus"),
        ("the invite code is taken", "9 croesus"),
        ("a role that is not known", "9 croesus"),
        ("not hashed with bcrypt", "9 croesus"),
        ("names of groups here", "a b/c as a-b-c"),
        ("its key is not 16 to 256", "9 "),
        ("one of the networks", "10 "),
    ] {
        assert!(
            super::office::has_note(&report, words, item),
            "{words} {item}: {report}"
        );
    }
    assert_eq!(report["credited_usd"], "2");
    gate.look();
}

//! The tables of `docs/conversion.md` are those of the policy. `MODELGATE_UPDATE=1` writes them.

use std::fmt::Write as _;

use dialects::passes::policy::{OWN_FIELDS, Rule, TABLE};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conversion.md");

#[test]
fn the_page_about_conversion_is_fresh() {
    let page = std::fs::read_to_string(PAGE).expect("the page is there");
    let fresh = filled(
        &filled(&page, "policy", &policy()),
        "own fields",
        &own_fields(),
    );
    if std::env::var_os("MODELGATE_UPDATE").is_some() {
        std::fs::write(PAGE, &fresh).expect("the page can be written");
    }
    assert!(
        page == fresh || std::env::var_os("MODELGATE_UPDATE").is_some(),
        "docs/conversion.md is stale: run this test with MODELGATE_UPDATE=1"
    );
}

/// The page with this generated part written anew.
fn filled(page: &str, name: &str, table: &str) -> String {
    let begin = format!("<!-- generated: {name} -->\n");
    let (before, rest) = page.split_once(&begin).expect("the page has this table");
    let (_, after) = rest
        .split_once("<!-- end -->")
        .expect("the table has an end");
    format!("{before}{begin}{table}<!-- end -->{after}")
}

fn policy() -> String {
    let mut table =
        "\n| Field | to chat | to messages | to generate | to responses |\n|---|---|---|---|---|\n"
            .to_owned();
    for row in TABLE {
        let [chat, messages, generate, responses] =
            [row.chat, row.messages, row.generate, row.responses].map(word);
        let _ = writeln!(
            table,
            "| `{}` | {chat} | {messages} | {generate} | {responses} |",
            row.field
        );
    }
    table + "\n"
}

fn own_fields() -> String {
    let mut table = "\n| Dialect | Field | | It is |\n|---|---|---|---|\n".to_owned();
    for own in OWN_FIELDS {
        let name = own.dialect.name();
        let _ = writeln!(
            table,
            "| {name} | `{}` | {} | {} |",
            own.field,
            word(own.rule),
            own.reason
        );
    }
    table + "\n"
}

fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::Say => "said",
        Rule::Drop => "dropped",
        Rule::Omit => "omitted",
        Rule::Ours => "by us",
        Rule::Refuse => "refused",
    }
}

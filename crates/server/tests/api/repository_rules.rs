//! Rules of the repository that the compiler does not know: who may import what, where SQL may
//! be, and that every file says what it is for.

use std::fs;
use std::path::{Path, PathBuf};

use toml::Table;

/// Where the web framework may be imported: the edge, and the files that put it together.
const EDGE: [&str; 7] = [
    "crates/server/src/app.rs",
    "crates/server/src/console.rs",
    "crates/server/src/management/",
    "crates/server/src/middleware/",
    "crates/server/src/model_call/",
    "crates/server/src/probes.rs",
    "crates/server/src/refusal.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

/// Every Rust file below a folder, with its path from the root and its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(root())
                    .expect("a path of text")
                    .to_str()
                    .expect("a path of text")
                    .to_owned();
                found.push((name, fs::read_to_string(&path).expect("a readable file")));
            }
        }
    }
    assert!(!found.is_empty(), "{folder}");
    found
}

/// The same without tests, which may read files and mention anything: without test modules inside
/// files, and without files that are declared as such.
fn production(folder: &str) -> Vec<(String, String)> {
    let all = sources(folder);
    let declared: Vec<String> = all
        .iter()
        .flat_map(|(name, text)| test_modules(name, text))
        .collect();
    let is_test = |name: &str| {
        declared.iter().any(|module| {
            name.strip_prefix(module.as_str())
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    let without_tests = |(name, text): (String, String)| {
        let (code, _) = text
            .split_once("#[cfg(test)]\nmod tests {")
            .unwrap_or((&text, ""));
        (name, code.to_owned())
    };
    all.into_iter()
        .filter(|(name, _)| !is_test(name))
        .map(without_tests)
        .collect()
}

/// The files (or folders) of the modules that a file declares for tests only.
fn test_modules(name: &str, text: &str) -> Vec<String> {
    let (folder, _) = name.rsplit_once('/').unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((_, module)) = line
            .strip_suffix(';')
            .and_then(|line| line.rsplit_once("mod "))
        else {
            continue;
        };
        let attributes = lines[..index]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("#["));
        let attributes: Vec<&&str> = attributes.collect();
        if attributes
            .iter()
            .any(|attribute| **attribute == "#[cfg(test)]")
        {
            let path = attributes
                .iter()
                .find_map(|attribute| attribute.strip_prefix("#[path = \""));
            let file = path
                .and_then(|path| path.strip_suffix("\"]"))
                .unwrap_or(module);
            found.push(format!("{folder}/{}", file.trim_end_matches(".rs")));
        }
    }
    found
}

fn dependencies(krate: &str) -> Vec<String> {
    let text =
        fs::read_to_string(root().join(format!("crates/{krate}/Cargo.toml"))).expect("a manifest");
    let manifest: Table = text.parse().expect("valid TOML");
    manifest["dependencies"]
        .as_table()
        .expect("a table")
        .keys()
        .cloned()
        .collect()
}

#[test]
fn crates_depend_only_on_what_lies_below_them() {
    for (krate, forbidden) in [
        (
            "dialects",
            &[
                "tokio",
                "axum",
                "hyper",
                "sea-orm",
                "reqwest",
                "server",
                "store",
                "providers",
            ][..],
        ),
        (
            "providers",
            &["axum", "sea-orm", "server", "store", "billing"],
        ),
        (
            "billing",
            &["axum", "hyper", "http", "sea-orm", "server", "providers"],
        ),
        (
            "store",
            &[
                "axum",
                "hyper",
                "http",
                "reqwest",
                "server",
                "providers",
                "dialects",
            ],
        ),
        ("server", &["sea-orm", "sqlx", "figment"]),
        ("testkit", &["server", "store", "providers"]),
    ] {
        for dependency in dependencies(krate) {
            assert!(
                !forbidden.contains(&dependency.as_str()),
                "{krate} depends on {dependency}"
            );
        }
    }
}

#[test]
fn dialects_do_no_input_or_output_and_never_wait() {
    for (name, text) in production("crates/dialects/src") {
        for word in [
            "async fn",
            ".await",
            "std::fs",
            "std::net",
            "SystemTime",
            "Instant::now",
        ] {
            assert!(!text.contains(word), "{name} contains {word}");
        }
    }
}

#[test]
fn only_the_edge_imports_the_web_framework() {
    for place in EDGE {
        assert!(root().join(place).exists(), "{place}");
    }
    for (name, text) in production("crates/server/src") {
        let is_edge = EDGE.iter().any(|place| name.starts_with(place));
        let imports = text
            .lines()
            .any(|line| line.contains("axum::") && !line.trim_start().starts_with("//"));
        assert!(is_edge || !imports, "{name} imports axum");
    }
}

#[test]
fn only_the_store_contains_sql() {
    let words = [
        "SELECT ",
        "INSERT INTO",
        "DELETE FROM",
        "CREATE TABLE",
        "ALTER TABLE",
    ];
    for krate in ["server", "billing", "providers", "dialects"] {
        for (name, text) in production(&format!("crates/{krate}/src")) {
            for word in words {
                assert!(!text.contains(word), "{name} contains {word}");
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (name, text) in sources("crates") {
        let says = text.starts_with("//! ") || text.starts_with("#![doc = include_str!");
        assert!(says, "{name} does not begin with a `//!` line");
    }
}

#[test]
fn module_lists_hold_no_logic() {
    for (name, text) in sources("crates/server/src") {
        if name.ends_with("/mod.rs") {
            let is_long = text.lines().count() > 80;
            assert!(
                !is_long && !text.contains("\nfn ") && !text.contains("impl "),
                "{name}"
            );
        }
    }
}

#[test]
fn the_entry_point_stays_short() {
    let main = fs::read_to_string(root().join("crates/server/src/main.rs")).unwrap();
    assert!(main.lines().count() <= 80);
}

/// The words that follow a marker as a text of the code: `with_code("word"`.
fn words_after(text: &str, marker: &str) -> Vec<String> {
    let rests = text.split(marker).skip(1).map(str::trim_start);
    rests
        .filter_map(|rest| rest.strip_prefix('"')?.split('"').next())
        .filter(|word| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_code_of_an_error_is_in_the_catalogue_and_no_other() {
    let catalogue = fs::read_to_string(root().join("docs/errors.md")).expect("the catalogue");
    let mut known: Vec<String> = Vec::new();
    for (_, text) in production("crates/server/src/management") {
        for marker in ["with_code(", "login_refused(", "(refused("] {
            known.extend(words_after(&text, marker));
        }
    }
    let reply = production("crates/server/src/management/frame");
    let reply = reply
        .iter()
        .find(|(name, _)| name.ends_with("reply.rs"))
        .expect("a file");
    for status in reply.1.split("StatusCode::").skip(1) {
        known.extend(words_after(status, ",").into_iter().take(1));
    }
    for (name, text) in production("crates/dialects/src/error_body") {
        if name.ends_with("write.rs") {
            known.extend(words_after(&text, "(REQUEST,"));
            known.extend(words_after(&text, "(SERVER,"));
            known.extend(words_after(&text, "_quota\","));
            known.extend(words_after(&text, "_error\","));
        }
    }
    for (_, text) in production("crates/server/src/model_call") {
        known.extend(words_after(&text, "code: Some("));
    }
    assert!(known.len() > 40, "{known:?}");
    for code in &known {
        assert!(
            catalogue.contains(&format!("`{code}`")),
            "{code} is not in docs/errors.md"
        );
    }
    let all: String = ["crates/server/src", "crates/dialects/src"]
        .iter()
        .flat_map(|folder| production(folder))
        .map(|(_, text)| text)
        .collect();
    for row in catalogue
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("| `"))
    {
        let cell = row.split('|').nth(2).unwrap_or_default();
        for code in cell
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|code| *code != "code")
        {
            assert!(
                all.contains(&format!("\"{code}\"")),
                "{code} is no code any more"
            );
        }
    }
}

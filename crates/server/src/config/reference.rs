//! The commented reference of all settings: `modelgate.default.toml`, embedded in the binary.
//! From it come `docs/configuration.md` and the listing of `modelgate check --show`.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::field_names::field_names;
use super::load::{Config, for_each_section};
use super::loader::Section;
use super::secret::REDACTED;

/// The text of `modelgate.default.toml`.
pub const REFERENCE: &str = include_str!("../../../../modelgate.default.toml");

macro_rules! define_show {
    ($($field:ident: $section:ty,)*) => {
        /// The effective settings, one a line, with where each was set; secrets are redacted.
        pub fn show(config: &Config) -> String {
            let defaults: Table = REFERENCE.parse().unwrap_or_default();
            let mut text = String::new();
            $(show_section::<$section>(config, &defaults, &mut text);)*
            for (list, count) in [
                ("channels", config.channels.len()),
                ("tokens", config.tokens.len()),
                ("prices", config.prices.len()),
                ("oidc", config.oidc.len()),
                ("oauth", config.oauth.len()),
            ] {
                let _ = writeln!(text, "# [[{list}]]: {count} declared");
            }
            text
        }
    };
}
for_each_section!(define_show);

fn show_section<S: Section + std::fmt::Debug>(
    config: &Config,
    defaults: &Table,
    text: &mut String,
) {
    let _ = writeln!(text, "[{}]", S::NAME);
    for key in field_names::<S>() {
        let given = config.given.0.get(&(S::NAME, (*key).to_owned()));
        let _ = match given {
            Some(given) => {
                let value = shown::<S>(key, &given.value);
                writeln!(text, "{key} = {value}  # {}", given.origin)
            }
            None => match default_value(defaults, S::NAME, key) {
                Some(value) => writeln!(text, "{key} = {value}"),
                None => writeln!(text, "# {key} is not set"),
            },
        };
    }
    text.push('\n');
}

/// A value as it may be shown.
fn shown<S: Section + std::fmt::Debug>(key: &str, value: &Value) -> String {
    if is_plain::<S>(key, value) {
        value.to_string()
    } else {
        format!("\"{REDACTED}\"")
    }
}

/// Whether a value may be shown. That it is secret is asked of its type: a section that holds only
/// this value prints the redaction mark.
fn is_plain<S: Section + std::fmt::Debug>(key: &str, value: &Value) -> bool {
    let table = Table::from_iter([(key.to_owned(), value.clone())]);
    S::deserialize(Value::Table(table))
        .is_ok_and(|section| !format!("{section:?}").contains(REDACTED))
}

pub(super) fn default_value<'a>(
    defaults: &'a Table,
    section: &str,
    key: &str,
) -> Option<&'a Value> {
    let table = section
        .split('.')
        .try_fold(defaults, |table, part| table.get(part)?.as_table())?;
    table.get(key)
}

/// Renders `docs/configuration.md` from the reference.
pub fn render_documentation() -> String {
    let mut page = String::from(
        "<!-- Generated from modelgate.default.toml by `make generate`. -->\n\n\
         # Configuration\n",
    );
    let mut comment: Vec<&str> = Vec::new();
    let mut in_table = false;
    // The first two lines are the file's own title.
    for line in REFERENCE.lines().skip(2) {
        if let Some(text) = line.strip_prefix("# ") {
            comment.push(text.trim());
        } else if line.is_empty() || line == "#" {
            flush(&mut page, &mut comment, &mut in_table);
        } else if let Some(heading) = heading(line) {
            let _ = write!(page, "\n## `{heading}`\n\n{}\n", comment.join("\n"));
            comment.clear();
            in_table = false;
        } else if let Some((key, value)) = line.trim_start_matches('#').split_once(" = ") {
            if !in_table {
                page.push_str("\n| Key | Default | Meaning |\n|---|---|---|\n");
                in_table = true;
            }
            let default = if line.starts_with('#') {
                format!("none; for example `{value}`")
            } else {
                format!("`{value}`")
            };
            let meaning = comment.join(" ").replace('|', "\\|");
            let _ = writeln!(page, "| `{key}` | {default} | {meaning} |");
            comment.clear();
        }
    }
    flush(&mut page, &mut comment, &mut in_table);
    page
}

fn heading(line: &str) -> Option<&str> {
    let line = line.strip_prefix('#').unwrap_or(line);
    (line.starts_with('[') && line.ends_with(']')).then_some(line)
}

fn flush(page: &mut String, comment: &mut Vec<&str>, in_table: &mut bool) {
    if !comment.is_empty() {
        let _ = write!(page, "\n{}\n", comment.join("\n"));
        comment.clear();
        *in_table = false;
    }
}

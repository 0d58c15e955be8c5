//! Names of models that stand for many: a text with one `*` at its end, in the lists of channels and tokens. What the
//! upstream calls the models is the channels' business.

/// The longest name of a model, in bytes.
pub const LONGEST_NAME: usize = 256;

/// What the names begin with that a pattern stands for; none where the text is a plain name.
pub fn beginning(text: &str) -> Option<&str> {
    let beginning = text.strip_suffix('*')?;
    (!beginning.contains('*')).then_some(beginning)
}

/// Whether an entry of a list is this name, or a pattern that stands for it or for all that it stands for.
pub fn covers(entry: &str, name: &str) -> bool {
    entry == name || beginning(entry).is_some_and(|start| name.starts_with(start))
}

/// Whether a pattern may stand for what a client asks for. Names that channels list are checked when they are
/// written down; these are whatever a client sends.
pub fn is_callable(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && !name
            .chars()
            .any(|letter| letter == '*' || letter.is_control())
}

/// Refuses a star that stands for nothing, in a name and in what the upstream calls it.
pub fn check(name: &str, upstream: Option<&str>) -> Result<(), &'static str> {
    let is_fine = |text: &str| !text.contains('*') || beginning(text).is_some();
    if !is_fine(name) || !upstream.is_none_or(is_fine) {
        return Err("may have one `*`, at the end of a name");
    }
    if beginning(name).is_none() && upstream.is_some_and(|upstream| upstream.contains('*')) {
        return Err("has a `*` in the upstream's name alone");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_names_that_begin_so() {
        for (entry, name, is_meant) in [
            ("gpt-*", "gpt-4o", true),
            ("gpt-4*", "gpt-4", true),
            ("gpt-*", "GPT-4o", false),
            ("gpt-*", "gpt-4*", true),
            ("*", "anything/at all", true),
            ("gpt-4o", "gpt-4o", true),
            ("gpt-4o", "gpt-4o-mini", false),
            ("a*b", "a*b", true),
            ("a*b", "axb", false),
            ("a**", "a*", false),
        ] {
            assert_eq!(covers(entry, name), is_meant, "{entry} {name}");
        }
    }

    #[test]
    fn stars_stand_at_the_end_and_on_both_sides() {
        for fine in [
            ("*", None),
            ("openai/*", Some("*")),
            ("fast/*", Some("vendor/*")),
            ("claude-*", Some("gpt-4o")),
            ("plain", Some("other")),
        ] {
            assert_eq!(check(fine.0, fine.1), Ok(()), "{fine:?}");
        }
        for bad in [
            ("a*b", None),
            ("**", None),
            ("*/x", None),
            ("a", Some("b*")),
            ("a*", Some("*b")),
            ("a*", Some("b**")),
        ] {
            assert!(check(bad.0, bad.1).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_no_channel_could_list_is_no_name() {
        assert!(is_callable("Vendor/модель:1"));
        assert!(is_callable(&"m".repeat(LONGEST_NAME)));
        for bad in [&"m".repeat(LONGEST_NAME + 1), "", "a\0", "a\nb", "gpt-*"] {
            assert!(!is_callable(bad), "{bad:?}");
        }
    }
}

//! Hides what a vendor's error may tell about us: keys, addresses, hosts, accounts.

/// What stands for a hidden word.
const HIDDEN: &str = "***";
/// What keys and account names of known vendors begin with.
const KEY_STARTS: [&str; 13] = [
    "sk-", "sk_", "pk-", "pk_", "AIza", "AKIA", "ASIA", "ya29.", "gsk_", "xai-", "org-", "proj_",
    "key-",
];
/// A word this long of letters and digits is taken for a key.
const LONG_WORD: usize = 40;
/// Last labels of host names that vendors' messages name.
const HOST_ENDS: [&str; 20] = [
    "com", "net", "org", "io", "ai", "dev", "cloud", "app", "local", "internal", "co", "cn", "us",
    "eu", "de", "uk", "svc", "xyz", "tech", "run",
];

/// The text without keys, addresses and hosts.
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_bearer = false;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_length(rest));
        let border = after.find(|c| !is_border(c)).unwrap_or(after.len());
        out.push_str(&masked_word(word, after_bearer));
        after_bearer = (after_bearer && word.is_empty()) || word.eq_ignore_ascii_case("bearer");
        out.push_str(&after[..border]);
        rest = &after[border..];
    }
    out
}

/// The length of the first word. An address goes on over `=`, which may stand before a secret.
fn word_length(text: &str) -> usize {
    let length = text.find(is_border).unwrap_or(text.len());
    if text[..length].contains("://") {
        return text
            .find(|c| is_border(c) && c != '=')
            .unwrap_or(text.len());
    }
    length
}

/// What divides words; not `:`, which is part of addresses.
fn is_border(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>' | '[' | ']' | '{' | '}' | '='
        )
}

fn masked_word(word: &str, after_bearer: bool) -> String {
    let core = word.trim_end_matches(['.', ':', '!', '?']);
    let tail = &word[core.len()..];
    let is_secret = !core.is_empty() && (after_bearer || is_key(core) || is_address(core));
    if is_secret {
        return format!("{HIDDEN}{tail}");
    }
    // `key:sk-…` in one word.
    if let Some((before, after)) = core.split_once(':')
        && (is_key(after) || is_address(after))
    {
        return format!("{before}:{HIDDEN}{tail}");
    }
    word.to_owned()
}

fn is_key(word: &str) -> bool {
    let is_key_byte = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'*' | b'.');
    let known = KEY_STARTS.iter().any(|start| {
        word.get(..start.len()).is_some_and(|head| head == *start) && word.len() >= start.len() + 6
    });
    let is_long = word.len() >= LONG_WORD
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic());
    (known && word.bytes().all(is_key_byte)) || is_long
}

fn is_address(word: &str) -> bool {
    word.contains("://") || word.contains('@') && is_host(after_at(word)) || is_host(word)
}

fn after_at(word: &str) -> &str {
    word.rsplit('@').next().unwrap_or(word)
}

fn is_host(word: &str) -> bool {
    let host = word.split(['/', ':']).next().unwrap_or(word);
    if host == "localhost" {
        return true;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if labels.len() < 2 || !labels.iter().all(is_label) {
        return false;
    }
    let is_number = |label: &&str| label.parse::<u8>().is_ok();
    if labels.len() == 4 && labels.iter().all(is_number) {
        return true;
    }
    labels.last().is_some_and(|last| HOST_ENDS.contains(last)) && !labels.iter().any(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_addresses_and_hosts_are_hidden() {
        for (text, expected) in [
            (
                "Incorrect API key provided: sk-proj-abc***xyz.",
                "Incorrect API key provided: ***.",
            ),
            ("use Bearer abc.def here", "use Bearer *** here"),
            ("key AIzaSyA1234567890 is bad", "key *** is bad"),
            (
                "see https://vendor.test/docs?x=1, then retry",
                "see ***, then retry",
            ),
            ("dial tcp 10.1.2.3:443: refused", "dial tcp ***: refused"),
            ("lookup api.vendor.com failed", "lookup *** failed"),
            ("org-AbCdEf123456 has no credit", "*** has no credit"),
            ("by name@team.vendor.com.", "by ***."),
            ("api_key=\"sk-123456789\"", "api_key=\"***\""),
        ] {
            assert_eq!(mask(text), expected);
        }
    }

    #[test]
    fn fields_models_and_files_stay() {
        for text in [
            "messages.1.content.0.text: must not be empty",
            "'messages[0].content[1].file.file_data'",
            "model gpt-4.1-mini does not exist",
            "temperature must be <= 2.0; got 3.5",
            "report.pdf is too large",
            "",
            "é ünï (x)",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}

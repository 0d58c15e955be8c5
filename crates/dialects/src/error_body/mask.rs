//! Hides what a vendor's error may tell about us: keys, addresses, hosts, accounts.

/// Replaces a hidden word.
const HIDDEN: &str = "***";
/// Prefixes of keys of known vendors.
const KEY_PREFIXES: [&str; 12] = [
    "sk-", "sk_", "pk-", "pk_", "AIza", "AKIA", "ASIA", "ya29.", "gsk_", "xai-", "key-", "arn:",
];
/// Prefixes of account names of known vendors, which may be short.
const ACCOUNT_PREFIXES: [&str; 9] = [
    "org-",
    "org_",
    "proj_",
    "proj-",
    "acct-",
    "acct_",
    "projects/",
    "user-",
    "wrkspc_",
];
/// Words that are followed by the name of an account.
const LABELS: [&str; 12] = [
    "account",
    "accounts",
    "organization",
    "organisation",
    "org",
    "project",
    "tenant",
    "subscription",
    "workspace",
    "team",
    "customer",
    "deployment",
];
/// Words that may stand between such a word and the name.
const BETWEEN: [&str; 6] = ["id", "number", "no", "name", "named", "with"];
/// A word this long of letters and digits is taken for a key.
const LONG_WORD: usize = 40;
/// Last labels of host names that vendors' messages name.
const HOST_ENDS: [&str; 40] = [
    "com", "net", "org", "io", "ai", "dev", "cloud", "app", "local", "internal", "co", "cn", "us",
    "eu", "de", "uk", "svc", "xyz", "tech", "run", "info", "biz", "jp", "kr", "fr", "ru", "br",
    "au", "ca", "sg", "hk", "tw", "ch", "nl", "se", "es", "pl", "site", "online", "lan",
];

/// Returns the text without keys, parts of keys, accounts, addresses and hosts.
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut context = Context::Nothing;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_length(rest));
        let border = after.find(|c| !is_border(c)).unwrap_or(after.len());
        out.push_str(&masked_word(word, context));
        context = context.after(word);
        out.push_str(&after[..border]);
        rest = &after[border..];
    }
    out
}

/// The meaning that the words so far give to the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Nothing,
    /// A credential comes next.
    Credential,
    /// The name of an account may come next.
    Account,
}

impl Context {
    fn after(self, word: &str) -> Self {
        let word = word.trim_matches([':', '.', '#']).to_ascii_lowercase();
        match word.as_str() {
            "" => self,
            "bearer" => Self::Credential,
            word if LABELS.contains(&word) => Self::Account,
            word if self == Self::Account && BETWEEN.contains(&word) => self,
            _ => Self::Nothing,
        }
    }
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

/// Whether a character separates words; not `:`, which is part of addresses.
fn is_border(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>' | '[' | ']' | '{' | '}' | '='
        )
}

fn masked_word(word: &str, context: Context) -> String {
    let core = word.trim_end_matches(['.', ':', '!', '?']);
    let tail = &word[core.len()..];
    let is_named = match context {
        Context::Nothing => false,
        Context::Credential => true,
        Context::Account => core.bytes().any(|b| b.is_ascii_digit()),
    };
    if !core.is_empty() && (is_named || is_secret(core)) {
        return format!("{HIDDEN}{tail}");
    }
    // `key:sk-…` in one word.
    if let Some((before, after)) = core.split_once(':')
        && is_secret(after)
    {
        return format!("{before}:{HIDDEN}{tail}");
    }
    word.to_owned()
}

fn is_secret(word: &str) -> bool {
    is_key(word) || is_account(word) || is_fragment(word) || is_uuid(word) || is_address(word)
}

fn is_key(word: &str) -> bool {
    let is_key_byte =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'*' | b'.' | b':' | b'/');
    let known = KEY_PREFIXES
        .iter()
        .any(|prefix| word.starts_with(prefix) && word.len() >= prefix.len() + 4);
    let is_long = word.len() >= LONG_WORD
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic());
    (known && word.bytes().all(is_key_byte)) || is_long
}

fn is_account(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ACCOUNT_PREFIXES
        .iter()
        .any(|prefix| word.len() > prefix.len() && word.starts_with(prefix))
}

/// Whether a word is a key of which only the ends are shown.
fn is_fragment(word: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'*' | b'.');
    let has_gap = word.contains("**")
        || (word.contains("..") && word.bytes().any(|b| b.is_ascii_digit()))
        || (word.contains('\u{2026}') && word.chars().count() > 4);
    let visible = word.replace('\u{2026}', "");
    has_gap && visible.bytes().all(is_part) && visible.bytes().any(|b| b.is_ascii_alphanumeric())
}

fn is_uuid(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_address(word: &str) -> bool {
    word.contains("://") || is_mail(word) || is_host(word)
}

fn is_mail(word: &str) -> bool {
    word.rsplit_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && (host.contains('.') || is_host(host)))
}

fn is_host(word: &str) -> bool {
    let (host, after) = match word.find(['/', ':']) {
        Some(at) => word.split_at(at),
        None => (word, ""),
    };
    if host.eq_ignore_ascii_case("localhost") {
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
    let has_port = after
        .strip_prefix(':')
        .is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    let last = labels.last().map(|last| last.to_ascii_lowercase());
    let is_known = last.is_some_and(|last| HOST_ENDS.contains(&last.as_str()));
    (is_known || has_port) && !labels.iter().any(is_number)
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
            (
                "vendor account org-77 is limited",
                "vendor account *** is limited",
            ),
            (
                "project number: 123456789012 is off",
                "project number: *** is off",
            ),
            ("Project `p-1` has no access", "Project `***` has no access"),
            ("in proj_9 of acct_1X", "in *** of ***"),
            ("key ****1234 or 12ab...89ef", "key *** or ***"),
            ("mail ops@vendor.museum", "mail ***"),
            ("from gpu-7.rack:8443/x", "from ***"),
            ("arn:aws:iam::1234:role/x", "***"),
            ("tenant 4f1c2d3e-0000-4000-8000-123456789abc", "tenant ***"),
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

//! A bound on the searches that a vendor's own tool makes during a call: they cost extra, so they
//! are part of what is set aside. Found without reading the body, as the bound on its tokens is.

use memchr::memmem;

/// How clients limit one tool, and all tools of a call.
const MAX_USES: &[u8] = b"\"max_uses\"";
const MAX_TOOL_CALLS: &[u8] = b"\"max_tool_calls\"";
/// How many there are at most where the client does not limit them. Vendors name no bound; a model
/// that searches more often in one call is rare, and is charged as far as the wallet goes.
const USUAL_MOST: u64 = 10;

/// The most searches that a call with this body, which asks for a tool that searches, is expected to make.
pub fn bound_searches(body: &[u8]) -> u64 {
    let by_tool = limits(body, MAX_USES).reduce(u64::saturating_add);
    let in_all = limits(body, MAX_TOOL_CALLS).max();
    match (by_tool, in_all) {
        (Some(by_tool), Some(in_all)) => by_tool.min(in_all),
        (by_tool, in_all) => by_tool.or(in_all).unwrap_or(USUAL_MOST),
    }
}

/// The numbers that follow a name.
fn limits<'a>(body: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
    memmem::find_iter(body, name).filter_map(move |at| {
        let rest = body[at + name.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b":")?.trim_ascii_start();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_limits_counts_else_the_usual_most() {
        let limited = br#"{"tools":[{"type":"web_search_20250305","max_uses" : 3}]}"#;
        assert_eq!(bound_searches(limited), 3);
        let in_all = br#"{"tools":[{"type":"web_search"}],"max_tool_calls":20}"#;
        assert_eq!(bound_searches(in_all), 20);
        let both = br#"{"tools":[{"type":"web_search","max_uses":3}],"max_tool_calls":2}"#;
        assert_eq!(bound_searches(both), 2);
        for open in [
            br#"{"tools":[{"type":"web_search_preview"}]}"#.as_slice(),
            br#"{"tools":[{"googleSearch":{}}]}"#,
            br#"{"tools":[{"type":"web_search","max_uses":null}]}"#,
        ] {
            assert_eq!(bound_searches(open), USUAL_MOST);
        }
    }
}

//! The rule against forged calls: a browser that calls from a page of another site is refused
//! wherever something changes. What sends neither header is no browser and passes.

use http::{HeaderMap, HeaderName, Method, Uri, header};

use crate::middleware::Caller;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether calls of this method may change something.
pub(super) fn changes_something(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a call comes from one of our own pages, or from no page at all.
pub(super) fn is_same_origin(headers: &HeaderMap, caller: &Caller) -> bool {
    let site = headers.get(SEC_FETCH_SITE);
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    headers
        .get(header::ORIGIN)
        .is_none_or(|origin| origin.to_str().is_ok_and(|origin| is_ours(origin, caller)))
}

/// Whether an origin is the address under which the client reaches us. A proxy that ends TLS and
/// was not declared lets us see `http` where the browser sees `https`; the reverse does not happen.
fn is_ours(origin: &str, caller: &Caller) -> bool {
    let (Ok(origin), Ok(base)) = (origin.parse::<Uri>(), caller.base_url.parse::<Uri>()) else {
        return false;
    };
    let schemes = (origin.scheme_str(), base.scheme_str());
    let is_scheme_fine = schemes.0 == schemes.1 || schemes == (Some("https"), Some("http"));
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    let port = |uri: &Uri| uri.port_u16().or(default_port(uri));
    let is_port_same =
        port(&origin) == port(&base) || (origin.port_u16().is_none() && base.port_u16().is_none());
    is_scheme_fine && host(&origin).is_some() && host(&origin) == host(&base) && is_port_same
}

fn default_port(uri: &Uri) -> Option<u16> {
    match uri.scheme_str() {
        Some("https") => Some(443),
        Some("http") => Some(80),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(base_url: &str, lines: &[(&'static str, &'static str)]) -> bool {
        let caller = Caller {
            request_id: "1".into(),
            address: "127.0.0.1".parse().unwrap(),
            base_url: base_url.to_owned(),
            at_ms: 0,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.insert(*name, value.parse().unwrap());
        }
        is_same_origin(&headers, &caller)
    }

    #[test]
    fn our_own_pages_and_programs_pass() {
        let base = "http://gate.example:3000";
        assert!(passes(base, &[]));
        assert!(passes(base, &[("origin", "http://gate.example:3000")]));
        assert!(passes(base, &[("origin", "http://GATE.example:3000")]));
        assert!(passes(base, &[("sec-fetch-site", "same-origin")]));
        assert!(passes(
            "http://gate.example",
            &[("origin", "https://gate.example")]
        ));
        assert!(passes(
            "https://gate.example:443",
            &[("origin", "https://gate.example")]
        ));
    }

    #[test]
    fn pages_of_other_sites_do_not() {
        for origin in [
            "null",
            "http://evil.example",
            "http://gate.example",
            "http://gate.example:3001",
            "http://gate.example.evil.example:3000",
            "",
        ] {
            assert!(
                !passes("http://gate.example:3000", &[("origin", origin)]),
                "{origin}"
            );
        }
        assert!(!passes(
            "https://gate.example",
            &[("origin", "http://gate.example")]
        ));
        for site in ["cross-site", "same-site", "CROSS-SITE"] {
            let lines = [
                ("sec-fetch-site", site),
                ("origin", "http://gate.example:3000"),
            ];
            assert!(!passes("http://gate.example:3000", &lines), "{site}");
        }
    }
}

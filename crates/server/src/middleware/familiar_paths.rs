//! Paths under which clients of other gateways reach the same endpoints: without the version, or below
//! a vendor's name. Such a request goes on as one for the endpoint's own path, so that rights, limits, the log
//! and metrics know one name for it.

use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Uri, header};

use crate::area::is_inside;

/// Where other gateways serve a vendor's own paths. The last is Google's own place for the common format.
const FOLDERS: [&str; 6] = [
    "/openai",
    "/anthropic",
    "/genai",
    "/gemini",
    "/litellm",
    "/v1beta/openai",
];

/// Versions that a path below such a folder may name itself.
const VERSIONS: [&str; 3] = ["/v1", "/v1beta", "/v2"];

/// Endpoints that are known without a version.
const BARE: [&str; 8] = [
    "/chat/completions",
    "/completions",
    "/embeddings",
    "/moderations",
    "/responses",
    "/images",
    "/audio",
    "/realtime",
];

/// The list of models. Without a folder before it, a page of the console has this path too.
const MODELS: &str = "/models";

/// Azure's clients name the model in the path, and in the body as well.
const DEPLOYMENTS: &str = "/deployments/";

/// Gives a request the path of the endpoint that it means; all others stay as they are.
pub(super) fn settle(head: &mut Parts) {
    let path = head.uri.path();
    // Nearly all calls.
    if path.starts_with("/v1/") {
        return;
    }
    let is_client = || is_of_a_client(&head.method, &head.headers);
    if let Some(own) = own_path(path, is_client)
        && let Some(uri) = with_path(&head.uri, &own)
    {
        head.uri = uri;
    }
}

/// The endpoint's own path; none where it is that already, or none of an endpoint.
fn own_path(path: &str, is_client: impl Fn() -> bool) -> Option<String> {
    let mut folders = FOLDERS.iter();
    let Some(folder) = folders.find(|folder| is_inside(path, folder)) else {
        let is_bare = is_bare(path) || (is_inside(path, MODELS) && is_client());
        return is_bare.then(|| format!("/v1{path}"));
    };
    let rest = path.strip_prefix(folder)?;
    if let Some(named) = rest.strip_prefix(DEPLOYMENTS) {
        let (_, operation) = named.split_once('/')?;
        let path = format!("/{operation}");
        return is_bare(&path).then(|| format!("/v1{path}"));
    }
    if VERSIONS.iter().any(|version| is_inside(rest, version)) {
        return Some(rest.to_owned());
    }
    (is_bare(rest) || is_inside(rest, MODELS)).then(|| format!("/v1{rest}"))
}

fn is_bare(path: &str) -> bool {
    BARE.iter().any(|endpoint| is_inside(path, endpoint))
}

/// Browsers that open a page send no token, programs do.
fn is_of_a_client(method: &Method, headers: &HeaderMap) -> bool {
    let tokens = [header::AUTHORIZATION.as_str(), "x-api-key", "api-key"];
    *method == Method::OPTIONS || tokens.iter().any(|name| headers.contains_key(*name))
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let path = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn settled(uri: &str, has_token: bool) -> String {
        let mut request = Request::get(uri);
        if has_token {
            request = request.header("authorization", "Bearer x");
        }
        let (mut head, ()) = request.body(()).unwrap().into_parts();
        settle(&mut head);
        head.uri.to_string()
    }

    #[test]
    fn what_other_gateways_call_an_endpoint_leads_to_it() {
        for (asked, own) in [
            ("/chat/completions", "/v1/chat/completions"),
            ("/embeddings?a=b", "/v1/embeddings?a=b"),
            (
                "/responses/resp_1/input_items",
                "/v1/responses/resp_1/input_items",
            ),
            ("/audio/speech", "/v1/audio/speech"),
            ("/models", "/v1/models"),
            ("/openai/chat/completions", "/v1/chat/completions"),
            ("/openai/v1/chat/completions", "/v1/chat/completions"),
            ("/openai/models", "/v1/models"),
            ("/anthropic/v1/messages", "/v1/messages"),
            (
                "/genai/v1beta/models/m:generateContent?key=k",
                "/v1beta/models/m:generateContent?key=k",
            ),
            ("/gemini/v1beta/models", "/v1beta/models"),
            ("/litellm/v1/rerank", "/v1/rerank"),
            ("/v1beta/openai/chat/completions", "/v1/chat/completions"),
            (
                "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
                "/v1/chat/completions?api-version=2024-10-21",
            ),
            (
                "http://h:1/chat/completions",
                "http://h:1/v1/chat/completions",
            ),
        ] {
            assert_eq!(settled(asked, true), own, "{asked}");
        }
    }

    #[test]
    fn everything_else_stays_where_it_is() {
        for path in [
            "/",
            "/v1/chat/completions",
            "/v1/openai/models",
            "/v1beta/models/m:generateContent",
            "/rerank",
            "/api/user/self",
            "/chat",
            "/completionsque",
            "/openai",
            "/openai/files",
            "/openai/deployments/gpt-4o",
            "/openai/deployments/gpt-4o/files",
            "/console/models",
            "/assets/x.js",
        ] {
            assert_eq!(settled(path, true), path);
        }
        assert_eq!(
            settled("/models", false),
            "/models",
            "a page of the console"
        );
        assert_eq!(settled("/models/m", false), "/models/m");
        assert_eq!(settled("/openai/models", false), "/v1/models");
    }
}

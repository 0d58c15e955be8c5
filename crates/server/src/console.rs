//! Serves the built console that is embedded in the binary: hashed assets for ever, pages fresh.
//! Unknown paths are refused like those of the management interface; no API path gets HTML.

use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use rust_embed::EmbeddedFile;

use crate::area::{Area, is_inside};
use crate::middleware::Caller;
use crate::refusal::{method_not_allowed, no_such_path};

/// Stands in the home page where the API's base address belongs.
const BASE_PLACEHOLDER: &str = "__MODELGATE_BASE__";

/// Where the console's icon is, whatever the build has called it.
pub const ICON: &str = "/icon.svg";

/// Paths that the console draws itself.
const CONSOLE_PAGES: [&str; 10] = [
    "/setup",
    "/login",
    "/register",
    "/forgot",
    "/reset",
    "/oauth",
    "/models",
    "/pricing",
    "/status",
    "/console",
];

/// Compressed twins of the build's files: the coding's name, and what the twin's name ends in. The
/// best first; browsers take the second one alone over plain http.
const TWINS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// What stands at `/` when the console was not built.
const NOT_BUILT: &str = include_str!("console_not_built.html");

/// The built console. A debug build reads the folder when asked, a release build embeds it; a
/// missing folder is an empty one.
#[derive(rust_embed::Embed)]
#[folder = "$CARGO_MANIFEST_DIR/../../console/dist"]
#[allow_missing = true]
struct Dist;

/// Answers whatever no route has taken: a page or an asset of the console, or a refusal.
pub async fn page_or_refusal(Extension(caller): Extension<Caller>, request: Request) -> Response {
    let path = request.uri().path();
    if Area::of(path) != Area::Console {
        return no_such_path(Extension(caller), request).await;
    }
    let Some(response) = answer(path, request.headers(), &caller.base_url) else {
        return no_such_path(Extension(caller), request).await;
    };
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        response
    } else {
        method_not_allowed(Extension(caller), request).await
    }
}

fn answer(path: &str, headers: &HeaderMap, base_url: &str) -> Option<Response> {
    if path == "/" || path == "/index.html" {
        return Some(home(base_url));
    }
    if CONSOLE_PAGES.iter().any(|page| is_inside(path, page)) {
        return Some(file("console.html", headers).unwrap_or_else(|| home(base_url)));
    }
    if path == ICON {
        return file(&Dist::iter().find(|name| is_icon(name))?, headers);
    }
    // The pages' own files are reached under the paths above, compressed twins through their
    // originals.
    let name = path.trim_start_matches('/');
    match extension(name) {
        "html" | "br" | "gz" => None,
        _ => file(name, headers),
    }
}

fn is_icon(name: &str) -> bool {
    name.starts_with("assets/mark-") && extension(name) == "svg"
}

/// The home page with the base address written into it, so that it is there without scripts.
fn home(base_url: &str) -> Response {
    let built = Dist::get("index.html");
    let page = built
        .as_ref()
        .and_then(|file| std::str::from_utf8(&file.data).ok());
    let page = page
        .unwrap_or(NOT_BUILT)
        .replace(BASE_PLACEHOLDER, &escape_html(base_url));
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, page).into_response()
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let original = Dist::get(name)?;
    let (file, encoding) = match twin(name, headers) {
        Some((twin, coding)) => (twin, Some(coding)),
        None => (original, None),
    };
    let tag = entity_tag(&file);
    let mut response = if headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| *known == tag)
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(file.data.into_owned()).into_response()
    };
    let reply = response.headers_mut();
    reply.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(content_type(name)),
    );
    reply.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static(cache_control(name)),
    );
    reply.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        reply.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        reply.insert(header::ETAG, tag);
    }
    Some(response)
}

/// The best compressed twin that the client takes, and its coding.
fn twin(name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, &'static str)> {
    let mut taken = TWINS.iter().filter(|(coding, _)| accepts(headers, coding));
    taken.find_map(|(coding, ending)| Some((Dist::get(&format!("{name}.{ending}"))?, *coding)))
}

fn entity_tag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let (half, _) = hash.split_first_chunk().unwrap_or((&[0; 16], &[]));
    format!("\"{:032x}\"", u128::from_be_bytes(*half))
}

fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim() == wanted && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// The build puts a hash into every name under `assets/`: what has such a name never changes.
fn cache_control(name: &str) -> &'static str {
    if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    }
}

fn content_type(name: &str) -> &'static str {
    match extension(name) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_address_cannot_break_out_of_the_page() {
        assert_eq!(
            escape_html("http://a\"><b>'&"),
            "http://a&quot;&gt;&lt;b&gt;&#39;&amp;"
        );
    }

    fn accepting(value: &'static str) -> HeaderMap {
        let value = HeaderValue::from_static(value);
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, value)])
    }

    #[test]
    fn a_coding_is_sent_only_to_those_who_take_it() {
        assert!(accepts(&accepting("gzip, deflate, br"), "br"));
        assert!(accepts(&accepting("br;q=0.5"), "br"));
        assert!(!accepts(&accepting("gzip, br;q=0"), "br"));
        assert!(accepts(&accepting("gzip, br;q=0"), "gzip"));
        assert!(!accepts(&accepting("brotli"), "br"));
        assert!(!accepts(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn whoever_does_not_take_brotli_gets_gzip() {
        if Dist::get("console.html.gz").is_none() {
            return; // The console was not built.
        }
        let page = |accepted| answer("/console", &accepting(accepted), "http://gate").unwrap();
        let coding = |accepted| {
            page(accepted)
                .headers()
                .get(header::CONTENT_ENCODING)
                .cloned()
        };
        assert_eq!(coding("gzip, deflate, br").unwrap(), "br");
        assert_eq!(coding("gzip, deflate").unwrap(), "gzip");
        assert_eq!(coding("deflate"), None);
        let tags = ["br", "gzip", ""].map(|accepted| {
            let page = page(accepted);
            assert_eq!(page.headers()[header::VARY], "accept-encoding");
            page.headers()[header::ETAG].clone()
        });
        assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
        let known = HeaderMap::from_iter([
            (header::ACCEPT_ENCODING, HeaderValue::from_static("gzip")),
            (header::IF_NONE_MATCH, tags[1].clone()),
        ]);
        let again = answer("/console", &known, "http://gate").unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn the_icon_is_found_wherever_the_console_was_built() {
        let icon = answer(ICON, &HeaderMap::new(), "http://gate");
        assert_eq!(icon.is_some(), Dist::get("index.html").is_some());
        let kinds = icon.map(|icon| icon.headers()[header::CONTENT_TYPE].clone());
        assert!(kinds.is_none_or(|kind| kind == "image/svg+xml"));
    }

    #[test]
    fn console_pages_are_found_and_other_paths_are_not() {
        let found = |path| answer(path, &HeaderMap::new(), "http://gate").is_some();
        for path in [
            "/",
            "/console",
            "/console/playground",
            "/setup",
            "/login/2fa",
        ] {
            assert!(found(path), "{path}");
        }
        for path in [
            "/consolation",
            "/assets/../Cargo.toml",
            "/nothing.js",
            "/console.html",
            "/console.html.gz",
        ] {
            assert!(!found(path), "{path}");
        }
    }
}

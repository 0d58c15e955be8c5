//! Amazon's request signature, version 4. A pure function of a request, a key and a time.

use std::fmt::Write as _;

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use jiff::Timestamp;
use ring::{digest, hmac};

use crate::{BadCredential, Secret};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const SESSION_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// Who signs, and for which service.
#[derive(Debug, Clone, Copy)]
pub struct Signature<'a> {
    /// The key's public half.
    pub access_key_id: &'a str,
    /// The key's secret half.
    pub secret_access_key: &'a Secret,
    /// The token of a temporary key.
    pub session_token: Option<&'a Secret>,
    /// The region.
    pub region: &'a str,
    /// The service's signing name.
    pub service: &'a str,
}

/// What is signed.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// The method.
    pub method: &'a Method,
    /// The host header.
    pub host: &'a str,
    /// The path as it is sent, percent-encoded.
    pub path: &'a str,
    /// The query as it is sent.
    pub query: &'a str,
    /// The body.
    pub body: &'a [u8],
}

impl Signature<'_> {
    /// Adds the date and the signature to the headers. Host, content type and the headers of the
    /// signature itself are covered by it.
    pub fn sign(
        &self,
        request: &Signed<'_>,
        headers: &mut HeaderMap,
        now: Timestamp,
    ) -> Result<(), BadCredential> {
        let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
        headers.insert(DATE, value(&time)?);
        if let Some(token) = self.session_token {
            let mut token = value(token.expose())?;
            token.set_sensitive(true);
            headers.insert(SESSION_TOKEN, token);
        }
        let (names, canonical) = canonical_request(request, headers);
        let scope = format!(
            "{}/{}/{}/aws4_request",
            &time[..8],
            self.region,
            self.service
        );
        let to_sign = format!(
            "{ALGORITHM}\n{time}\n{scope}\n{}",
            sha256_hex(canonical.as_bytes())
        );
        let signature = hex::encode(hmac_sha256(&self.key(&time[..8]), &to_sign).as_ref());
        let mut authorization = value(&format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            self.access_key_id
        ))?;
        authorization.set_sensitive(true);
        headers.insert(AUTHORIZATION, authorization);
        Ok(())
    }

    /// The key of one day, region and service.
    fn key(&self, day: &str) -> hmac::Tag {
        let start = zeroize::Zeroizing::new(format!("AWS4{}", self.secret_access_key.expose()));
        let key = hmac::Key::new(hmac::HMAC_SHA256, start.as_bytes());
        let day = hmac::sign(&key, day.as_bytes());
        let region = hmac_sha256(&day, self.region);
        let service = hmac_sha256(&region, self.service);
        hmac_sha256(&service, "aws4_request")
    }
}

/// The names of the headers that are covered, and the text that is signed.
fn canonical_request(request: &Signed<'_>, headers: &HeaderMap) -> (String, String) {
    let mut covered = vec![("host".to_owned(), request.host.to_owned())];
    for (name, value) in headers {
        let is_covered = name == CONTENT_TYPE || name.as_str().starts_with("x-amz-");
        if let (true, Ok(value)) = (is_covered, value.to_str()) {
            let value: Vec<&str> = value.split_whitespace().collect();
            covered.push((name.as_str().to_owned(), value.join(" ")));
        }
    }
    covered.sort();
    let names: Vec<&str> = covered.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(";");
    let mut text = format!(
        "{}\n{}\n{}\n",
        request.method,
        canonical_path(request.path),
        canonical_query(request.query)
    );
    for (name, value) in &covered {
        writeln!(text, "{name}:{value}").expect("a string takes every write");
    }
    write!(text, "\n{names}\n{}", sha256_hex(request.body)).expect("a string takes every write");
    (names, text)
}

/// The path, every segment encoded once more: the one that is sent is encoded already.
fn canonical_path(path: &str) -> String {
    let segments: Vec<String> = path.split('/').map(encode).collect();
    match segments.join("/") {
        empty if empty.is_empty() => "/".to_owned(),
        path => path,
    }
}

/// The query in the order of its names and values. It is sent encoded, which is kept.
fn canonical_query(query: &str) -> String {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<(&str, &str)> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

fn encode(segment: &str) -> String {
    crate::path_segment::query_value(segment)
}

fn value(text: &str) -> Result<HeaderValue, BadCredential> {
    HeaderValue::from_str(text).map_err(|_| BadCredential::Unsendable)
}

fn hmac_sha256(key: &hmac::Tag, text: &str) -> hmac::Tag {
    hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, key.as_ref()),
        text.as_bytes(),
    )
}

fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key, time and host of Amazon's published test suite.
    fn signature(method: &Method, path: &str, query: &str, body: &str, media_type: &str) -> String {
        let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        let signature = Signature {
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: &secret,
            session_token: None,
            region: "us-east-1",
            service: "service",
        };
        let host = "example.amazonaws.com";
        let request = Signed {
            method,
            host,
            path,
            query,
            body: body.as_bytes(),
        };
        let mut headers = HeaderMap::new();
        if !media_type.is_empty() {
            headers.insert(CONTENT_TYPE, media_type.parse().unwrap());
        }
        let now: Timestamp = "2015-08-30T12:36:00Z".parse().unwrap();
        signature.sign(&request, &mut headers, now).unwrap();
        assert_eq!(headers[DATE], "20150830T123600Z");
        headers[AUTHORIZATION].to_str().unwrap().to_owned()
    }

    #[test]
    fn amazons_published_vectors_come_out() {
        let form = "application/x-www-form-urlencoded";
        let (get, post) = (Method::GET, Method::POST);
        for (method, path, query, body, media_type, expected) in [
            (
                &get,
                "/",
                "",
                "",
                "",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                &post,
                "/",
                "",
                "",
                "",
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                &get,
                "/",
                "Param2=value2&Param1=value1",
                "",
                "",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                &get,
                "/ሴ",
                "",
                "",
                "",
                "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            ),
            (
                &post,
                "/",
                "",
                "Param1=value1",
                form,
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
        ] {
            let authorization = signature(method, path, query, body, media_type);
            assert!(
                authorization.ends_with(&format!("Signature={expected}")),
                "{authorization}"
            );
        }
    }

    #[test]
    fn the_header_names_key_scope_and_covered_headers() {
        let authorization = signature(&Method::POST, "/", "", "{}", "application/json");
        let start = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                     SignedHeaders=content-type;host;x-amz-date, Signature=";
        assert!(authorization.starts_with(start), "{authorization}");
    }

    #[test]
    fn a_path_that_is_encoded_already_is_encoded_once_more() {
        assert_eq!(
            canonical_path("/model/a%3A1/invoke"),
            "/model/a%253A1/invoke"
        );
        assert_eq!(canonical_path(""), "/");
    }
}

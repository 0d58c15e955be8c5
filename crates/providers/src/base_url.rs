//! Where a channel's upstream is: an origin, a path before every path, and perhaps a query that the
//! provider reads (Azure's `api-version`). Knows nothing of name resolution.

use std::fmt;
use std::sync::Arc;

use http::Uri;
use http::uri::PathAndQuery;

/// How an upstream is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Plain text.
    Http,
    /// TLS.
    Https,
}

impl Scheme {
    /// Its name in a URL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Its port where the URL names none.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Scheme, host and port: what connections are pooled by and credentials are pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The scheme.
    pub scheme: Scheme,
    /// The host in lower case; an IPv6 address without brackets.
    pub host: Arc<str>,
    /// The port.
    pub port: u16,
}

impl Origin {
    /// Host, and port where it is not the scheme's own, as in a `host` header.
    pub fn authority(&self) -> String {
        let mut text = String::with_capacity(self.host.len() + 8);
        self.spell_authority(|piece| text.push_str(piece));
        text
    }

    /// The same piece by piece, for whoever has a place to put it.
    pub(crate) fn spell_authority(&self, mut add: impl FnMut(&str)) {
        if self.host.contains(':') {
            add("[");
            add(&self.host);
            add("]");
        } else {
            add(&self.host);
        }
        if self.port != self.scheme.default_port() {
            add(":");
            add(itoa::Buffer::new().format(self.port));
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.name(), self.authority())
    }
}

/// One address to send a request to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Where.
    pub origin: Origin,
    /// What to ask for there.
    pub path: PathAndQuery,
}

/// A channel's base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    origin: Origin,
    /// Begins with a slash or is empty; never ends with one.
    prefix: String,
    query: String,
}

/// A base URL that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadBaseUrl {
    /// It is no URL.
    #[error("the base URL cannot be read")]
    Unreadable,
    /// It has another scheme.
    #[error("the base URL must begin with https:// or http://")]
    Scheme,
    /// It carries a user or a password.
    #[error("the base URL must not contain a user or a password")]
    UserInfo,
    /// The provider has no address of its own.
    #[error("this provider needs a base URL")]
    Missing,
}

impl BaseUrl {
    /// Reads `https://host:port/prefix?query`.
    pub fn parse(text: &str) -> Result<Self, BadBaseUrl> {
        let uri: Uri = text.trim().parse().map_err(|_| BadBaseUrl::Unreadable)?;
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            _ => return Err(BadBaseUrl::Scheme),
        };
        let authority = uri.authority().ok_or(BadBaseUrl::Unreadable)?;
        if authority.as_str().contains('@') {
            return Err(BadBaseUrl::UserInfo);
        }
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        // What follows the host; a port that does not fit is an error, not an absent one.
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("") | None => scheme.default_port(),
            Some(port) => {
                let port = port.strip_prefix(':').ok_or(BadBaseUrl::Unreadable)?;
                port.parse().map_err(|_| BadBaseUrl::Unreadable)?
            }
        };
        let has_dots = uri.path().split('/').any(|part| matches!(part, "." | ".."));
        if host.is_empty() || port == 0 || has_dots {
            return Err(BadBaseUrl::Unreadable);
        }
        let origin = Origin {
            scheme,
            host: host.to_ascii_lowercase().into(),
            port,
        };
        let prefix = uri.path().trim_end_matches('/').to_owned();
        Ok(Self {
            origin,
            prefix,
            query: uri.query().unwrap_or_default().to_owned(),
        })
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The path before every path; begins with a slash or is empty.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A value of the base URL's own query.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value)
            .next()
    }

    /// The same without what operators like to add to the prefix, of which the first that fits goes.
    #[must_use]
    pub fn without_suffix(&self, suffixes: &[&str]) -> Self {
        let cut = suffixes
            .iter()
            .find_map(|suffix| self.prefix.strip_suffix(suffix));
        let prefix = cut.unwrap_or(&self.prefix).to_owned();
        Self {
            prefix,
            ..self.clone()
        }
    }

    /// A target under this base; `path` begins with a slash or is empty, and may have a query.
    pub fn target(&self, path: &str) -> Result<Target, BadBaseUrl> {
        let mut whole = String::with_capacity(self.prefix.len() + 1 + path.len());
        whole.push_str(&self.prefix);
        if self.prefix.is_empty() && !path.starts_with('/') {
            whole.push('/');
        }
        whole.push_str(path);
        let path = PathAndQuery::try_from(whole).map_err(|_| BadBaseUrl::Unreadable)?;
        Ok(Target {
            origin: self.origin.clone(),
            path,
        })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_taken_apart() {
        let base = BaseUrl::parse("https://API.example.com/openai/v1/").unwrap();
        assert_eq!(base.origin().to_string(), "https://api.example.com");
        assert_eq!(base.prefix(), "/openai/v1");
        assert_eq!(
            base.target("/models?x=1").unwrap().path.as_str(),
            "/openai/v1/models?x=1"
        );
        assert_eq!(base.without_suffix(&["/v1", "/openai"]).prefix(), "/openai");
        let base = BaseUrl::parse("http://[::1]:8000?api-version=2024-10-21&a=b").unwrap();
        assert_eq!(base.origin().to_string(), "http://[::1]:8000");
        assert_eq!(&*base.origin().host, "::1");
        assert_eq!(base.query_value("api-version"), Some("2024-10-21"));
        assert_eq!(base.query_value("b"), None);
        assert_eq!(base.target("").unwrap().path.as_str(), "/");
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
        for (text, error) in [
            ("", BadBaseUrl::Unreadable),
            ("api.example.com", BadBaseUrl::Scheme),
            ("ftp://a", BadBaseUrl::Scheme),
            ("file:///etc/passwd", BadBaseUrl::Unreadable),
            ("https://user:pass@host/", BadBaseUrl::UserInfo),
            ("https://host:", BadBaseUrl::Unreadable),
            ("https://host:0", BadBaseUrl::Unreadable),
            ("https://host:99999", BadBaseUrl::Unreadable),
            ("https://host/a/../b", BadBaseUrl::Unreadable),
            ("https://ho st", BadBaseUrl::Unreadable),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(error), "{text}");
        }
    }
}

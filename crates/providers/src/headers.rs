//! The headers of a request to an upstream, and of its answer. Nearly all calls of a channel send the same ones and get
//! the same ones back: such are shared, and only who changes them has a map of their own.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock};

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// What most bodies are.
pub(crate) const JSON: &str = "application/json";

static NONE: LazyLock<HeaderMap> = LazyLock::new(HeaderMap::new);
static ONLY_JSON: LazyLock<HeaderMap> = LazyLock::new(|| {
    let json = HeaderValue::from_static(JSON);
    HeaderMap::from_iter([(header::CONTENT_TYPE, json)])
});

/// Headers, to be used like a map of them.
#[derive(Debug, Clone)]
pub struct Headers(Kept);

#[derive(Debug, Clone)]
enum Kept {
    None,
    OnlyJson,
    Shared(Arc<HeaderMap>),
    Own(Box<HeaderMap>),
}

impl Headers {
    /// The content type of JSON, and nothing else.
    pub fn only_json() -> Self {
        Self(Kept::OnlyJson)
    }

    /// Whether it is the content type of JSON, and nothing else.
    pub(crate) fn is_only_json(&self) -> bool {
        matches!(self.0, Kept::OnlyJson)
    }

    /// Those that many share.
    pub(crate) fn shared(headers: &Arc<HeaderMap>) -> Self {
        Self(Kept::Shared(Arc::clone(headers)))
    }

    /// Adds a header of an answer.
    pub(crate) fn hear(&mut self, name: HeaderName, value: &[u8]) -> Result<(), NoValue> {
        if matches!(self.0, Kept::None) && name == header::CONTENT_TYPE && value == JSON.as_bytes()
        {
            *self = Self::only_json();
            return Ok(());
        }
        let value = HeaderValue::from_bytes(value).map_err(|_| NoValue)?;
        self.append(name, value);
        Ok(())
    }

    /// A map of its own.
    pub fn into_map(self) -> HeaderMap {
        match self.0 {
            Kept::Own(own) => *own,
            _ => HeaderMap::clone(&self),
        }
    }
}

/// The value of a header that no header may have.
#[derive(Debug)]
pub(crate) struct NoValue;

impl Default for Headers {
    fn default() -> Self {
        Self(Kept::None)
    }
}

impl From<HeaderMap> for Headers {
    fn from(headers: HeaderMap) -> Self {
        if headers.is_empty() {
            return Self::default();
        }
        Self(Kept::Own(Box::new(headers)))
    }
}

impl Deref for Headers {
    type Target = HeaderMap;

    fn deref(&self) -> &HeaderMap {
        match &self.0 {
            Kept::None => &NONE,
            Kept::OnlyJson => &ONLY_JSON,
            Kept::Shared(shared) => shared,
            Kept::Own(own) => own,
        }
    }
}

impl DerefMut for Headers {
    fn deref_mut(&mut self) -> &mut HeaderMap {
        if !matches!(self.0, Kept::Own(_)) {
            self.0 = Kept::Own(Box::new(HeaderMap::clone(self)));
        }
        match &mut self.0 {
            Kept::Own(own) => own,
            _ => unreachable!("it was just given its own"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_shared_headers_changes_them_for_nobody_else() {
        let token = HeaderValue::from_static("t");
        let map = Arc::new(HeaderMap::from_iter([(
            header::AUTHORIZATION,
            token.clone(),
        )]));
        for before in [
            Headers::default(),
            Headers::only_json(),
            Headers::shared(&map),
            HeaderMap::clone(&map).into(),
        ] {
            let mut changed = before.clone();
            changed.insert(header::AUTHORIZATION, HeaderValue::from_static("other"));
            assert_eq!(changed[header::AUTHORIZATION], "other");
            assert_eq!(before.get(header::AUTHORIZATION), {
                let has_token = before.contains_key(header::AUTHORIZATION);
                has_token.then_some(&token)
            });
            assert_eq!(before.clone().into_map(), *before);
        }
        assert_eq!(Headers::only_json().len(), 1);
        assert_eq!(map[header::AUTHORIZATION], token);
    }

    #[test]
    fn what_is_heard_is_there() {
        let heard = |pairs: &[(HeaderName, &[u8])]| {
            let mut headers = Headers::default();
            for (name, value) in pairs {
                headers.hear(name.clone(), value)?;
            }
            Ok::<_, NoValue>(headers)
        };
        let json = (header::CONTENT_TYPE, JSON.as_bytes());
        let other = (header::RETRY_AFTER, &b"1"[..]);
        assert!(heard(std::slice::from_ref(&json)).unwrap().is_only_json());
        for pairs in [[json.clone(), other.clone()], [other, json.clone()]] {
            let headers = heard(&pairs).unwrap();
            assert_eq!(
                (headers.len(), &headers[header::CONTENT_TYPE]),
                (2, &HeaderValue::from_static(JSON))
            );
        }
        let twice = heard(&[json.clone(), json.clone()]).unwrap();
        assert_eq!(twice.get_all(header::CONTENT_TYPE).iter().count(), 2);
        assert!(heard(&[(header::CONTENT_TYPE, b"a\nb")]).is_err());
    }
}

//! One request to an upstream, built by a provider and sent by the transport.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderName, HeaderValue, Method};

use crate::credential::SecretHeaders;
use crate::{BadCredential, Headers, Secret, Target};

/// A request before it is sent.
#[derive(Debug)]
pub struct UpstreamRequest {
    /// The method.
    pub method: Method,
    /// Where to.
    pub target: Target,
    /// End-to-end headers; framing and connection headers are the transport's.
    pub headers: Headers,
    /// What is sent.
    pub body: RequestBody,
}

impl UpstreamRequest {
    /// A GET.
    pub fn get(target: Target) -> Self {
        Self::new(Method::GET, target, RequestBody::Whole(Bytes::new()))
    }

    /// A request without headers.
    pub fn new(method: Method, target: Target, body: RequestBody) -> Self {
        Self {
            method,
            target,
            headers: Headers::default(),
            body,
        }
    }

    /// Sets a header to a secret, marked so that nothing prints it.
    pub(crate) fn set_secret(
        &mut self,
        name: HeaderName,
        prefix: &str,
        secret: &Secret,
    ) -> Result<(), BadCredential> {
        self.headers.insert(name, secret_value(prefix, secret)?);
        Ok(())
    }

    /// Sets headers that hold secrets.
    pub(crate) fn set_secrets(&mut self, headers: &SecretHeaders) {
        if self.headers.is_only_json() {
            self.headers = Headers::shared(&headers.with_json);
            return;
        }
        for (name, value) in &headers.own {
            self.headers.insert(name, value.clone());
        }
    }
}

/// The value of a header that holds a secret, marked so that nothing prints it.
pub(crate) fn secret_value(prefix: &str, secret: &Secret) -> Result<HeaderValue, BadCredential> {
    let secret = secret.expose();
    let mut text = String::with_capacity(prefix.len() + secret.len());
    text.push_str(prefix);
    text.push_str(secret);
    // The header takes the text over: there is no second copy of it to wipe.
    let value = HeaderValue::try_from(text);
    let mut value = value.map_err(|_| BadCredential::Unsendable)?;
    value.set_sensitive(true);
    Ok(value)
}

/// A stream of a body's bytes.
pub type BodyStream = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>;

/// What a request sends.
pub enum RequestBody {
    /// All of it at once.
    Whole(Bytes),
    /// Piece by piece, as it comes from the client. Cannot be sent a second time.
    Stream {
        /// The pieces.
        pieces: BodyStream,
        /// How long it is, where that is known.
        length: Option<u64>,
    },
}

impl RequestBody {
    /// The bytes, where they are at hand.
    pub fn whole(&self) -> Option<&Bytes> {
        match self {
            Self::Whole(bytes) => Some(bytes),
            Self::Stream { .. } => None,
        }
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Stream { length, .. } => write!(f, "a stream of {length:?} bytes"),
        }
    }
}

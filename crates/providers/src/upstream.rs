//! A channel's upstream: a provider, an address and a credential that belong together. From it come
//! requests that are complete but for their signature.

use std::borrow::Cow;
use std::sync::OnceLock;

use http::uri::PathAndQuery;
use http::{HeaderValue, Method, header};

use crate::headers::JSON;
use crate::{
    BadBaseUrl, BadCredential, BaseUrl, Call, Credential, Headers, Operation, Provider,
    RequestBody, Target, Unroutable, UpstreamRequest,
};

/// Where calls go and with whose key.
#[derive(Clone)]
pub struct Upstream {
    /// The vendor.
    pub provider: &'static dyn Provider,
    /// The address.
    pub base: BaseUrl,
    /// The key, pinned to that address.
    pub credential: Credential,
    /// The first path that was asked for, and the whole of it under the address. Most calls of a
    /// channel ask for the same, and putting an address together takes longer than comparing.
    usual: OnceLock<(Cow<'static, str>, PathAndQuery)>,
}

/// A channel whose settings do not make an upstream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadUpstream {
    /// The address.
    #[error(transparent)]
    BaseUrl(#[from] BadBaseUrl),
    /// The key.
    #[error(transparent)]
    Credential(#[from] BadCredential),
}

impl Upstream {
    /// Reads a channel's settings. An empty `base_url` stands for the vendor's own.
    pub fn open(
        provider: &'static dyn Provider,
        base_url: &str,
        key: &str,
    ) -> Result<Self, BadUpstream> {
        let fields = provider.read_key(key)?;
        let address = match (base_url.trim(), provider.default_base_url()) {
            ("", "") => provider
                .base_url_of_key(&fields)
                .ok_or(BadBaseUrl::Missing)?,
            ("", own) => own.to_owned(),
            (given, _) => given.to_owned(),
        };
        let base = provider.tidy_base_url(BaseUrl::parse(&address)?);
        let origin = base.origin().clone();
        let credential = Credential::pin(fields, provider.credential_fields(), origin)?;
        Ok(Self::new(provider, base, credential))
    }

    /// An upstream of these.
    pub(crate) fn new(
        provider: &'static dyn Provider,
        base: BaseUrl,
        credential: Credential,
    ) -> Self {
        Self {
            provider,
            base,
            credential,
            usual: OnceLock::new(),
        }
    }

    /// The request of a call. `headers` are the client's that may pass, `body` is in the call's format.
    pub fn request(
        &self,
        call: &Call<'_>,
        headers: impl Into<Headers>,
        body: RequestBody,
    ) -> Result<UpstreamRequest, Unroutable> {
        let offered = self.provider.formats(call.operation, call.model);
        if !offered.contains(&call.format) {
            return Err(Unroutable::Operation);
        }
        let path = self.provider.path(call, &self.base, &self.credential)?;
        let target = self.target(path)?;
        let method = match call.operation {
            Operation::ListModels | Operation::Realtime | Operation::TranscribeLive => Method::GET,
            _ => Method::POST,
        };
        let mut request = UpstreamRequest {
            method,
            target,
            headers: headers.into(),
            body,
        };
        if request.method == Method::POST && !request.headers.contains_key(header::CONTENT_TYPE) {
            if request.headers.is_empty() {
                request.headers = Headers::only_json();
            } else {
                let json = HeaderValue::from_static(JSON);
                request.headers.insert(header::CONTENT_TYPE, json);
            }
        }
        self.provider.adjust(call, &mut request)?;
        Ok(request)
    }

    fn target(&self, path: Cow<'static, str>) -> Result<Target, Unroutable> {
        if let Some((usual, whole)) = self.usual.get()
            && *usual == path
        {
            return Ok(Target {
                origin: self.base.origin().clone(),
                path: whole.clone(),
            });
        }
        let target = self.base.target(&path).map_err(|_| Unroutable::Address)?;
        self.usual.get_or_init(|| (path, target.path.clone()));
        Ok(target)
    }
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstream")
            .field("provider", &self.provider.id())
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use dialects::DialectId;

    use super::*;
    use crate::{Format, provider};

    #[test]
    fn the_usual_path_is_not_taken_for_another() {
        let openai = provider("openai").unwrap();
        let upstream = Upstream::open(openai, "https://api.example.com/v1", "sk-1").unwrap();
        let path = |operation, format| {
            let call = Call::new(operation, format, "m");
            let body = RequestBody::Whole(bytes::Bytes::new());
            let request = upstream.request(&call, Headers::default(), body).unwrap();
            assert!(upstream.credential.is_for(&request.target));
            request.target.path.to_string()
        };
        let chat = Format::Text(DialectId::ChatCompletions);
        for _ in 0..2 {
            assert_eq!(path(Operation::Generate, chat), "/v1/chat/completions");
            assert_eq!(path(Operation::Embed, Format::Common), "/v1/embeddings");
        }
    }
}

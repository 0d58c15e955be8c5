//! Signs requests: checks first that the credential belongs to the origin, fetches an access token
//! where the vendor wants one, and then lets the vendor's file put it in.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use crate::signing::google_service_account::{AccessToken, ServiceAccount};
use crate::transport::{Egress, Outbound};
use crate::{
    BadCredential, Credential, Secret, TransportError, Upstream, UpstreamFailure, UpstreamRequest,
};

/// An answer of a token server is never longer.
const LONGEST_TOKEN_REPLY: usize = 64 * 1024;
/// How many accounts' tokens are kept; beyond that all are fetched again.
const MOST_ACCOUNTS: usize = 1024;

/// What a vendor's file signs with.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// The channel's credential.
    pub credential: &'a Credential,
    /// The token that stands for it, where there is one.
    pub access_token: Option<&'a Secret>,
    /// Tells the time. Few signatures have it in them.
    pub now: &'a (dyn Fn() -> Timestamp + Send + Sync),
}

/// A request that could not be signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The credential was given for another origin.
    #[error("the credential belongs to another host")]
    ForeignOrigin,
    /// The credential is not what the vendor needs.
    #[error(transparent)]
    Credential(#[from] BadCredential),
    /// The signature covers the body, which is not at hand.
    #[error("this provider cannot sign a streamed body")]
    BodyNotWhole,
    /// The key of a service account cannot be used.
    #[error("the private key of the service account cannot be used")]
    PrivateKey,
    /// The token server could not be reached.
    #[error("the token server could not be reached: {0}")]
    Unreachable(#[from] TransportError),
    /// The token server gave no token.
    #[error("the token server refused: {}", .0.failure.message)]
    Refused(Box<UpstreamFailure>),
    /// The token server's answer makes no sense.
    #[error("the token server's answer cannot be read")]
    UnreadableToken,
}

type Slot = Arc<tokio::sync::Mutex<Option<AccessToken>>>;

/// Signs requests and keeps access tokens for as long as they are good. One for a process.
#[derive(Default)]
pub struct Signer {
    tokens: parking_lot::Mutex<HashMap<[u8; 32], Slot>>,
}

impl Signer {
    /// One without tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Signs a request of this upstream. Nothing is signed for another origin.
    pub async fn sign(
        &self,
        request: &mut UpstreamRequest,
        upstream: &Upstream,
        outbound: &Outbound,
        egress: &Egress,
        now: impl Fn() -> Timestamp + Send + Sync,
    ) -> Result<(), SignError> {
        let credential = &upstream.credential;
        if !credential.is_for(&request.target) {
            return Err(SignError::ForeignOrigin);
        }
        let token = match upstream.provider.service_account(credential)? {
            Some(account) => {
                let now = now();
                let exchange = |request| exchange(request, outbound, egress, now);
                // Boxed: most requests are signed without it.
                Some(Box::pin(self.access_token(&account, now, exchange)).await?)
            }
            None => None,
        };
        let stamp = Stamp {
            credential,
            access_token: token.as_ref(),
            now: &now,
        };
        upstream.provider.sign(request, &stamp)
    }

    /// A service account's token, fetched by `exchange` unless a good one is at hand. Calls that
    /// come at the same time share one exchange.
    pub async fn access_token<E, F>(
        &self,
        account: &ServiceAccount,
        now: Timestamp,
        exchange: E,
    ) -> Result<Secret, SignError>
    where
        E: FnOnce(UpstreamRequest) -> F,
        F: Future<Output = Result<Bytes, SignError>>,
    {
        let slot = self.slot(account.fingerprint());
        let mut held = slot.lock().await;
        if let Some(token) = held.as_ref().filter(|token| token.is_good_at(now)) {
            return Ok(token.secret.clone());
        }
        let reply = exchange(account.token_request(now)?).await?;
        let token = AccessToken::read(&reply, now)?;
        let secret = token.secret.clone();
        *held = Some(token);
        Ok(secret)
    }

    fn slot(&self, fingerprint: [u8; 32]) -> Slot {
        let mut tokens = self.tokens.lock();
        if tokens.len() >= MOST_ACCOUNTS && !tokens.contains_key(&fingerprint) {
            tokens.clear();
        }
        Arc::clone(tokens.entry(fingerprint).or_default())
    }
}

async fn exchange(
    request: UpstreamRequest,
    outbound: &Outbound,
    egress: &Egress,
    now: Timestamp,
) -> Result<Bytes, SignError> {
    let reply = outbound.send(request, egress).await?;
    let (status, headers) = (reply.status, reply.headers);
    let body = reply.body.collect(LONGEST_TOKEN_REPLY).await?;
    if status.is_success() {
        return Ok(body);
    }
    let failure = UpstreamFailure::from_reply(status, &headers, &body, now);
    Err(SignError::Refused(Box::new(failure)))
}

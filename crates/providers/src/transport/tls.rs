//! Whom we believe to be who they say: the public authorities, and for single channels others beside.

use std::fmt;
use std::sync::{Arc, LazyLock};

use ring::digest;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use super::error::TransportError;
use super::wire::{Layered, Wire};

const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Certificates that cannot be trusted because they cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the certificates cannot be read; PEM is expected")]
pub struct BadRoots;

/// Whom to trust. Made once for a channel; clones are the same.
#[derive(Clone)]
pub struct TlsTrust {
    any: Arc<ClientConfig>,
    http1: Arc<ClientConfig>,
    fingerprint: [u8; 32],
}

static PUBLIC: LazyLock<TlsTrust> = LazyLock::new(|| TlsTrust::of(public_roots(), b""));

impl TlsTrust {
    /// The public authorities.
    pub fn public() -> Self {
        PUBLIC.clone()
    }

    /// The public authorities and these, given as PEM.
    pub fn with_roots(pem: &[u8]) -> Result<Self, BadRoots> {
        let mut roots = public_roots();
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots
                .add(certificate.map_err(|_| BadRoots)?)
                .map_err(|_| BadRoots)?;
        }
        if roots.len() == before {
            return Err(BadRoots);
        }
        Ok(Self::of(roots, pem))
    }

    fn of(roots: RootCertStore, extra: &[u8]) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the cipher suites of ring serve both protocol versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let speaking = |protocols: &[&[u8]]| {
            let mut config = config.clone();
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            Arc::new(config)
        };
        let fingerprint = digest::digest(&digest::SHA256, extra);
        Self {
            any: speaking(&[HTTP2, HTTP1]),
            http1: speaking(&[HTTP1]),
            fingerprint: fingerprint
                .as_ref()
                .try_into()
                .expect("the digest has 32 bytes"),
        }
    }

    /// Tells sets of authorities apart.
    pub(crate) fn fingerprint(&self) -> &[u8; 32] {
        &self.fingerprint
    }

    /// Puts TLS on a stream. Says whether the peer chose HTTP/2, which it can only where offered.
    pub(crate) async fn connect(
        &self,
        stream: impl Layered + 'static,
        host: &str,
        offer_http2: bool,
    ) -> Result<(Wire, bool), TransportError> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| TransportError::Tls("the host has no valid name".to_owned()))?;
        let config = if offer_http2 { &self.any } else { &self.http1 };
        let connector = TlsConnector::from(Arc::clone(config));
        let secured = connector.connect(name, stream).await;
        let secured = secured.map_err(|error| TransportError::Tls(error.to_string()))?;
        let is_http2 = secured.get_ref().1.alpn_protocol() == Some(HTTP2);
        Ok((Wire::Layered(Box::new(secured)), is_http2))
    }
}

impl fmt::Debug for TlsTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsTrust")
    }
}

fn public_roots() -> RootCertStore {
    RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &[u8] = include_bytes!("../../tests/fixtures/tls_root.pem");

    #[test]
    fn roots_are_read_and_told_apart() {
        let own = TlsTrust::with_roots(ROOT).unwrap();
        assert_ne!(own.fingerprint(), TlsTrust::public().fingerprint());
        assert_eq!(
            own.fingerprint(),
            TlsTrust::with_roots(ROOT).unwrap().fingerprint()
        );
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        for pem in [
            "",
            "nonsense",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert!(TlsTrust::with_roots(pem.as_bytes()).is_err(), "{pem}");
        }
    }
}

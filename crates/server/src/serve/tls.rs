//! TLS of our own, where a certificate is configured.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use tokio_rustls::TlsAcceptor;

use crate::file_owners::{UnsafeFile, check_key_file};

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read as PEM.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: pem::Error,
    },
    /// Other users can change the key.
    #[error("TLS key file {0}")]
    Unsafe(#[from] UnsafeFile),
    /// The certificate and the key do not fit together.
    #[error("the TLS certificate cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// Reads a certificate chain and its key.
pub fn load_tls(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let in_file = |path: &Path| {
        let path = path.to_owned();
        move |cause| TlsError::File { path, cause }
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(in_file(certificate))?;
    check_key_file(key)?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(in_file(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

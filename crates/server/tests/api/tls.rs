//! TLS served by the gateway itself. The certificate is for `localhost`, made for this test, and
//! good for nothing else.

use std::sync::Arc;

use axum::Router;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::TestApp;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/fixtures");

fn connector(protocols: &[&[u8]]) -> TlsConnector {
    let certificate = format!("{FIXTURES}/localhost-cert.pem");
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(certificate).expect("a certificate"))
        .expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

#[test]
fn with_a_certificate_the_gateway_speaks_tls_and_says_https() {
    let app = TestApp::with(
        &format!(
            "[server]\ntls_cert = \"{FIXTURES}/localhost-cert.pem\"\n\
             tls_key = \"{FIXTURES}/localhost-key.pem\"\n"
        ),
        Router::new(),
    );
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let connect = async |protocols: &[&[u8]]| {
            let stream = TcpStream::connect(app.address).await.unwrap();
            let name = ServerName::try_from("localhost").unwrap();
            connector(protocols).connect(name, stream).await.unwrap()
        };
        let stream = connect(&[b"h2", b"http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));

        let mut stream = connect(&[b"http/1.1"]).await;
        let request = b"GET / HTTP/1.1\r\nhost: localhost:8443\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
        assert!(reply.contains("https://localhost:8443"), "{reply}");
    });
}

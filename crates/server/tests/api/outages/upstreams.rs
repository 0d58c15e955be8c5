//! An upstream whose name does not resolve, or whose certificate is over: the next channel takes the
//! call, and without one the client gets 502. Nothing is sent to whom we do not trust.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};

use crate::support::{Program, run_with, send};

const ROOT: &str = include_str!("../fixtures/expired-root.pem");
const EXPIRED: &[u8] = include_bytes!("../fixtures/expired-cert.pem");
const KEY: &[u8] = include_bytes!("../fixtures/expired-key.pem");

/// An upstream whose certificate was good until 2020; counts bytes that it could decrypt.
fn expired_upstream() -> (u16, Arc<AtomicUsize>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(EXPIRED).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        );
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let read = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut secure = rustls::Stream::new(&mut session, &mut stream);
            let mut bytes = [0; 1024];
            while let Ok(count @ 1..) = secure.read(&mut bytes) {
                counter.fetch_add(count, Ordering::SeqCst);
            }
        }
    });
    (port, read)
}

/// Serves the model `m` from this channel, and `both` from it and from the demo channel behind it.
fn serve(channel: &str) -> (Program, String, tempfile::TempDir) {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("modelgate.toml");
    let config = format!(
        "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n[billing]\nunpriced = \"free\"\n\
         [[channels]]\nname = \"behind\"\ntype = \"demo\"\nmodels = [\"both=demo-chat\"]\npriority = 1\n\
         [[channels]]\nname = \"broken\"\ntype = \"openai\"\nkey = \"sk-vendor-0123456789\"\n\
         models = [\"m\", \"both\"]\npriority = 5\n{channel}\n"
    );
    std::fs::write(&file, config).unwrap();
    let place = [
        "--data",
        folder.path().to_str().unwrap(),
        "--config",
        file.to_str().unwrap(),
    ];
    let set_up = [
        &["setup", "--password-stdin", "--token", "first"],
        &place[..],
    ]
    .concat();
    let done = run_with(&set_up, &[], "correct horse battery\n");
    let printed: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"));
    let token = printed["token"].as_str().unwrap().to_owned();
    (Program::serve(&place, &[]), token, folder)
}

fn check(channel: &str) {
    let (program, token, _folder) = serve(channel);
    for (model, status) in [("m", 502), ("both", 200)] {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "Hello"}]});
        let headers = [("authorization", &*format!("Bearer {token}"))];
        let path = "POST /v1/chat/completions";
        let reply = send(program.address, path, &headers, &body.to_string());
        assert_eq!(
            reply.status,
            status,
            "{model}: {} {}",
            reply.body,
            program.log()
        );
        for secret in ["invalid", "127.0.0.1", "sk-vendor"] {
            assert!(!reply.body.contains(secret), "{}", reply.body);
        }
    }
}

#[test]
fn a_name_that_does_not_resolve_is_left_for_the_next_channel() {
    check("base_url = \"https://vendor.invalid/v1\"");
}

#[test]
fn an_upstream_with_an_expired_certificate_gets_nothing_and_is_left_for_the_next_channel() {
    let (port, read) = expired_upstream();
    check(&format!(
        "base_url = \"https://localhost:{port}/v1\"\ntls_roots = \"\"\"{ROOT}\"\"\""
    ));
    assert_eq!(read.load(Ordering::SeqCst), 0, "not a byte of a request");
}

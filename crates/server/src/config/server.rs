//! `[server]`: where the service listens, how the world reaches it, and how it stops.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::Deserialize;

use super::loader::Section;
use super::network::Network;

/// The `[server]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Folder for the embedded database, the master key and the journal.
    pub data_dir: PathBuf,
    /// The address under which clients reach the gateway; links that others read begin with it.
    pub public_url: Option<String>,
    /// Proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<Network>,
    /// How long running calls may take to finish after a stop was asked for.
    pub grace_s: u64,
    /// Worker threads, each with its own listener; 0 means one per processor core.
    pub workers: usize,
    /// Certificate chain (PEM); together with `tls_key` makes the server speak TLS itself.
    pub tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate.
    pub tls_key: Option<PathBuf>,
    /// Origins from which browsers may make model calls; `*` is any.
    pub cors_origins: Vec<String>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3000),
            data_dir: PathBuf::from("data"),
            public_url: None,
            trusted_proxies: Vec::new(),
            grace_s: 30,
            workers: 0,
            tls_cert: None,
            tls_key: None,
            cors_origins: vec!["*".to_owned()],
        }
    }
}

impl ServerConfig {
    /// How many worker threads to start.
    pub fn worker_count(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            chosen => chosen,
        }
    }

    /// The certificate and its key, when the server is to speak TLS itself.
    pub fn tls(&self) -> Option<(&PathBuf, &PathBuf)> {
        self.tls_cert.as_ref().zip(self.tls_key.as_ref())
    }
}

impl Section for ServerConfig {
    const NAME: &'static str = "server";
    const NEEDS_RESTART: &'static [&'static str] =
        &["listen", "data_dir", "workers", "tls_cert", "tls_key"];
    const ON_THE_MACHINE: &'static [&'static str] = &["trusted_proxies", "grace_s"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            let missing = if self.tls_cert.is_some() {
                "tls_key"
            } else {
                "tls_cert"
            };
            refuse(
                missing,
                "tls_cert and tls_key must be set together".to_owned(),
            );
        }
        if let Some(url) = &self.public_url
            && let Err(text) = check_public_url(url)
        {
            refuse("public_url", text);
        }
        if self.workers > 1024 {
            refuse("workers", "must be at most 1024".to_owned());
        }
        if self.grace_s > 86_400 {
            refuse("grace_s", "must be at most 86400 (one day)".to_owned());
        }
        for origin in &self.cors_origins {
            if origin != "*" && (!has_web_scheme(origin) || origin.ends_with('/')) {
                refuse(
                    "cors_origins",
                    format!("\"{origin}\" is not an origin like https://example.org"),
                );
            }
        }
    }
}

fn has_web_scheme(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn check_public_url(url: &str) -> Result<(), String> {
    let parsed: http::Uri = url
        .parse()
        .map_err(|error| format!("is not a URL: {error}"))?;
    if !has_web_scheme(url) || parsed.authority().is_none() {
        return Err("must begin with http:// or https:// and name a host".to_owned());
    }
    if parsed.query().is_some() {
        return Err("must not contain a query".to_owned());
    }
    Ok(())
}

//! What the tests share: a client that may talk to this machine, names that lead to it, short ways
//! to ask.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};
use jiff::Timestamp;
use providers::transport::{
    Egress, Guard, Outbound, PoolSettings, Resolve, Resolved, Timeouts, TlsTrust,
};
use providers::{BaseUrl, RequestBody, TransportError, UpstreamReply, UpstreamRequest};

/// Resolves names that end in `.test` to this machine.
pub struct TestNames;

impl Resolve for TestNames {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let found = if host.split('.').next_back() == Some("test") {
            vec![address]
        } else {
            Vec::new()
        };
        Box::pin(async move { Ok(found) })
    }
}

/// A client that may connect to this machine and nowhere else that is private.
pub fn client() -> Outbound {
    client_with(PoolSettings::default())
}

pub fn client_with(settings: PoolSettings) -> Outbound {
    let guard = Guard::new(["127.0.0.0/8".parse().unwrap()]);
    Outbound::with_resolver(guard, settings, Arc::new(TestNames))
}

/// Straight out, with deadlines that no test reaches however busy the machine is.
pub fn patient() -> Egress {
    Egress::new(TlsTrust::public(), None, patient_timeouts())
}

pub fn patient_timeouts() -> Timeouts {
    let long = Duration::from_secs(20);
    Timeouts {
        connect: long,
        first_byte: long,
        idle: long,
    }
}

/// Straight out, with deadlines that a test can wait for.
pub fn hasty() -> Egress {
    patient().with_timeouts(Timeouts {
        connect: Duration::from_millis(600),
        first_byte: Duration::from_millis(600),
        idle: Duration::from_millis(400),
    })
}

pub fn post(url: &str) -> UpstreamRequest {
    let target = BaseUrl::parse(url).unwrap().target("").unwrap();
    let body = RequestBody::Whole(r#"{"model":"m"}"#.into());
    let mut request = UpstreamRequest::new(Method::POST, target, body);
    let json = HeaderValue::from_static("application/json");
    request.headers.insert(CONTENT_TYPE, json);
    request
}

pub fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

/// Sends and reads everything.
pub async fn whole(client: &Outbound, url: &str) -> Result<(u16, String), TransportError> {
    let reply = client.send(post(url), &patient()).await?;
    read(reply).await
}

pub async fn read(reply: UpstreamReply) -> Result<(u16, String), TransportError> {
    let status = reply.status.as_u16();
    let body = reply.body.collect(64 * 1024 * 1024).await?;
    Ok((status, String::from_utf8(body.to_vec()).unwrap()))
}

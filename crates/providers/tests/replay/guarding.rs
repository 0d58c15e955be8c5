//! Addresses that may not be called are not called, whatever they look like.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use providers::UpstreamFailure;
use providers::transport::{
    Egress, Guard, Outbound, PoolSettings, Proxy, Resolve, Resolved, TlsTrust, TransportError,
};
use testkit::{FakeUpstream, Reply};

use crate::support::{client, patient, patient_timeouts, post, whole};

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let client = Outbound::new(Guard::default(), PoolSettings::default());
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0/",
        "http://localhost/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "https://192.168.1.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
    ] {
        let error = whole(&client, url).await.unwrap_err();
        assert_eq!(error, TransportError::Refused, "{url}");
    }
    let failure = UpstreamFailure::from(TransportError::Refused);
    assert!(
        !failure.failure.message.contains("address"),
        "{}",
        failure.failure.message
    );
}

/// A name that leads somewhere else every time it is asked for.
struct Rebinding {
    asked: AtomicUsize,
    addresses: Vec<Vec<IpAddr>>,
}

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _host: &'a str, port: u16) -> Resolved<'a> {
        let turn = self
            .asked
            .fetch_add(1, Ordering::SeqCst)
            .min(self.addresses.len() - 1);
        let found = self.addresses[turn]
            .iter()
            .map(|ip| SocketAddr::new(*ip, port))
            .collect();
        Box::pin(async move { Ok(found) })
    }
}

fn rebinding(addresses: &[&[&str]]) -> Arc<Rebinding> {
    let read = |names: &&[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
    let addresses = addresses.iter().map(read).collect();
    Arc::new(Rebinding {
        asked: AtomicUsize::new(0),
        addresses,
    })
}

#[tokio::test]
async fn a_name_is_checked_by_what_it_resolves_to_on_every_new_connection() {
    let upstream = FakeUpstream::start().await;
    upstream.on(
        "/",
        Reply::body("text/plain", "ok").header("connection", "close"),
    );
    let port = upstream.address().port();
    let names = rebinding(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let guard = Guard::new(["127.0.0.1/32".parse().unwrap()]);
    let resolver: Arc<dyn Resolve> = Arc::clone(&names) as Arc<dyn Resolve>;
    let client = Outbound::with_resolver(guard, PoolSettings::default(), resolver);
    let url = format!("http://rebound.test:{port}/");
    assert_eq!(whole(&client, &url).await.unwrap().0, 200);
    assert_eq!(
        whole(&client, &url).await.unwrap_err(),
        TransportError::Refused
    );
    // One question for one connection: what was checked is what is connected to.
    assert_eq!(names.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn of_several_addresses_only_open_ones_are_tried() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "ok"));
    let names = rebinding(&[&["10.0.0.1", "127.0.0.1"]]);
    let guard = Guard::new(["127.0.0.0/8".parse().unwrap()]);
    let client = Outbound::with_resolver(guard, PoolSettings::default(), names);
    let url = format!("http://mixed.test:{}/", upstream.address().port());
    assert_eq!(whole(&client, &url).await.unwrap().0, 200);
}

#[tokio::test]
async fn a_stricter_guard_counts_for_connections_that_wait_too() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "ok"));
    let mut client = client();
    whole(&client, &upstream.url("/")).await.unwrap();
    client.set_guard(Guard::default());
    assert_eq!(
        whole(&client, &upstream.url("/")).await.unwrap_err(),
        TransportError::Refused
    );
    upstream.wait_for_open_connections(0).await;
}

#[tokio::test]
async fn a_connection_that_is_busy_while_the_guard_changes_serves_no_other_call() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", Reply::body("text/plain", "ok"));
    let mut client = client();
    let reply = client
        .send(post(&upstream.url("/")), &patient())
        .await
        .unwrap();
    client.set_guard(Guard::new(["127.0.0.0/8".parse().unwrap()]));
    assert_eq!(reply.body.collect(100).await.unwrap(), "ok");
    upstream.wait_for_open_connections(0).await;
    assert_eq!(client.held_connections(), 0);
    // The same way is still open, by a connection that the new guard has looked at.
    whole(&client, &upstream.url("/")).await.unwrap();
    assert_eq!(upstream.accepted_connections(), 2);
}

#[tokio::test]
async fn a_proxy_is_no_way_around() {
    let proxy = Proxy::parse("http://127.0.0.1:9").unwrap();
    let egress = Egress::new(TlsTrust::public(), Some(proxy), patient_timeouts());
    let guarded = Outbound::new(Guard::default(), PoolSettings::default());
    let error = guarded
        .send(post("https://api.example.com/"), &egress)
        .await
        .unwrap_err();
    assert_eq!(error, TransportError::Refused, "the proxy's own address");
    for url in ["http://10.0.0.1/", "http://[::ffff:169.254.169.254]/"] {
        let error = client().send(post(url), &egress).await.unwrap_err();
        assert_eq!(error, TransportError::Refused, "{url}");
    }
    let error = guarded
        .send(post("http://localhost/"), &egress)
        .await
        .unwrap_err();
    assert_eq!(error, TransportError::Refused);
}

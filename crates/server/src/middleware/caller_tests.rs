//! The caller behind trusted and untrusted proxies.

use http::Request;

use super::*;

fn server(trusted: &[&str]) -> ServerConfig {
    ServerConfig {
        trusted_proxies: trusted
            .iter()
            .map(|network| network.parse().unwrap())
            .collect(),
        ..ServerConfig::default()
    }
}

fn caller(peer: &str, headers: &[(&str, &str)], server: &ServerConfig) -> Caller {
    let mut request = Request::get("/");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (head, ()) = request.body(()).unwrap().into_parts();
    let peer = Peer {
        address: SocketAddr::new(peer.parse().unwrap(), 9),
        scheme: Scheme::Http,
    };
    Caller::of(peer, &Head::new(head), server, (0, || "new".into()))
}

#[test]
fn an_untrusted_peer_cannot_choose_its_address_host_or_request_id() {
    let claims = [
        ("x-forwarded-for", "192.0.2.9"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "evil.example"),
        ("x-request-id", "chosen-by-me"),
        ("host", "gate.example:3000"),
    ];
    let caller = caller("198.51.100.1", &claims, &server(&["10.0.0.0/8"]));
    assert_eq!(&*caller.address_text(), "198.51.100.1");
    assert_eq!(caller.base_url, "http://gate.example:3000");
    assert_eq!(&*caller.request_id, "new");
}

#[test]
fn addresses_are_written_as_usual() {
    for address in ["0.0.0.0", "127.0.0.1", "255.255.255.255", "2001:db8::1"] {
        let caller = caller(address, &[], &server(&[]));
        assert_eq!(&*caller.address_text(), address);
    }
}

#[test]
fn a_trusted_proxy_is_believed() {
    let claims = [
        ("x-forwarded-for", "203.0.113.7, 10.0.0.2"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "gate.example"),
        ("x-request-id", "from-the-proxy"),
        ("host", "internal:3000"),
    ];
    let caller = caller("10.0.0.1", &claims, &server(&["10.0.0.0/8"]));
    assert_eq!(caller.address.to_string(), "203.0.113.7");
    assert_eq!(caller.base_url, "https://gate.example");
    assert!(caller.is_https());
    assert_eq!(&*caller.request_id, "from-the-proxy");
}

#[test]
fn what_the_client_itself_claims_before_the_proxy_does_not_count() {
    let claims = [
        ("x-forwarded-for", "127.0.0.1"),
        ("x-forwarded-for", "203.0.113.7:5555"),
    ];
    let caller = caller("10.0.0.1", &claims, &server(&["10.0.0.1"]));
    assert_eq!(caller.address.to_string(), "203.0.113.7");
}

#[test]
fn strange_hosts_and_request_ids_are_replaced() {
    let claims = [
        ("x-forwarded-host", "\"><script>"),
        ("host", "a b"),
        ("x-request-id", "has spaces and more"),
    ];
    let caller = caller("10.0.0.1", &claims, &server(&["10.0.0.1"]));
    assert_eq!(caller.base_url, "http://127.0.0.1:3000");
    assert_eq!(&*caller.request_id, "new");
}

#[test]
fn the_public_address_wins_over_every_header() {
    let mut server = server(&[]);
    server.public_url = Some("https://gate.example/ai/".to_owned());
    let caller = caller("10.0.0.1", &[("host", "other")], &server);
    assert_eq!(caller.base_url, "https://gate.example/ai");
}

//! Connections opened step by step: which step is said to fail.

use providers::transport::{Egress, ProbeFailure, ProbeStep, Probed, TlsTrust, TransportError};
use providers::{BaseUrl, Outbound};
use testkit::{FakeUpstream, RefusedAddress};

use crate::secure::{ROOT, SecureUpstream};
use crate::support::{client, patient, patient_timeouts};

async fn probe(
    client: &Outbound,
    url: &str,
    egress: &Egress,
) -> (Vec<(ProbeStep, bool)>, Result<(), ProbeFailure>) {
    let origin = BaseUrl::parse(url).unwrap().origin().clone();
    let mut steps = Vec::new();
    let mut tell = |probed: Probed| steps.push((probed.step, probed.is_done));
    let outcome = client.probe(&origin, egress, &mut tell).await;
    (steps, outcome)
}

#[tokio::test]
async fn a_plain_upstream_needs_no_secure_channel() {
    let upstream = FakeUpstream::start().await;
    let (steps, outcome) = probe(&client(), &upstream.url("/"), &patient()).await;
    let expected = [
        (ProbeStep::Resolve, true),
        (ProbeStep::Connect, true),
        (ProbeStep::Tls, false),
    ];
    assert_eq!((steps.as_slice(), outcome), (expected.as_slice(), Ok(())));
}

#[tokio::test]
async fn a_secure_upstream_is_probed_to_the_end_where_it_is_trusted() {
    let upstream = SecureUpstream::start(true).await;
    let url = format!("https://upstream.test:{}", upstream.port);
    let trusting = Egress::new(
        TlsTrust::with_roots(ROOT).unwrap(),
        None,
        patient_timeouts(),
    );
    let (steps, outcome) = probe(&client(), &url, &trusting).await;
    assert_eq!((steps.len(), outcome), (3, Ok(())));
    let (steps, outcome) = probe(&client(), &url, &patient()).await;
    assert_eq!(steps.len(), 2, "the certificate is not trusted");
    let failure = outcome.unwrap_err();
    assert_eq!(failure.step, ProbeStep::Tls);
    assert!(matches!(failure.error, TransportError::Tls(_)));
}

#[tokio::test]
async fn each_failure_names_its_step() {
    let nobody = RefusedAddress::new();
    for (url, step) in [
        ("http://nowhere.example/".to_owned(), ProbeStep::Resolve),
        ("http://10.0.0.1/".to_owned(), ProbeStep::Resolve),
        (nobody.url("/"), ProbeStep::Connect),
    ] {
        let (_, outcome) = probe(&client(), &url, &patient()).await;
        assert_eq!(outcome.unwrap_err().step, step, "{url}");
    }
}

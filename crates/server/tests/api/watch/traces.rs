//! Traces: a real process sends spans to a collector, which decodes them.

use serde_json::json;
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use super::collector::{Collector, Span};
use super::hex;
use crate::calls::gateway::Gateway;
use crate::support::{get, send};

const SERVER: u64 = 2;
const CLIENT: u64 = 3;
const ERROR: u64 = 2;

fn traced(collector: &Collector, more: &str) -> Gateway {
    let endpoint = collector.endpoint();
    Gateway::with_config(&format!(
        "[telemetry]\notlp_endpoint = \"{endpoint}\"\ntrace_percent = 100\n{more}"
    ))
}

fn of_kind(spans: &[Span], kind: u64) -> Vec<Span> {
    let found = spans.iter().filter(|span| span.kind == kind);
    found.cloned().collect()
}

#[test]
fn a_call_is_a_server_span_with_a_client_span_below_it() {
    let collector = Collector::start();
    let gateway = traced(&collector, "");
    let body = json!({"model": "demo-chat", "max_tokens": 20,
        "messages": [{"role": "user", "content": "the secret prompt canary"}]});
    let reply = gateway.post("/v1/messages", &body);
    assert_eq!(reply.status, 200, "{reply:?}");
    let request_id = reply.header("x-request-id").unwrap();
    let spans = collector.wait_for(2);
    assert_eq!(spans.len(), 2);
    let (server, client) = (&of_kind(&spans, SERVER)[0], &of_kind(&spans, CLIENT)[0]);
    assert_eq!(server.name, "POST /v1/messages");
    assert_eq!((server.trace_id.len(), server.id.len()), (16, 8));
    assert!(server.parent_id.is_empty());
    assert_eq!(server.status, 0);
    for (name, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/v1/messages"),
        ("http.response.status_code", "200"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "demo-chat"),
        ("gen_ai.response.model", "demo-chat"),
        ("gen_ai.provider.name", "demo"),
        ("modelgate.request_id", request_id),
        ("modelgate.attempts", "1"),
        ("modelgate.stream", "false"),
    ] {
        assert_eq!(server.attribute(name), value, "{name}");
    }
    let row = gateway.row(&reply);
    let output = row.output_tokens.to_string();
    assert_eq!(server.attribute("gen_ai.usage.output_tokens"), output);
    assert_eq!(client.attribute("gen_ai.usage.output_tokens"), output);
    assert_eq!(client.name, "chat demo-chat");
    assert_eq!(client.trace_id, server.trace_id);
    assert_eq!(client.parent_id, server.id);
    assert_ne!(client.id, server.id);
    assert!(server.start_ns <= client.start_ns && client.end_ns <= server.end_ns + 1_000_000);
    assert!(server.start_ns > 1_700_000_000_000_000_000, "real time");
    for body in collector.bodies() {
        let text = String::from_utf8_lossy(&body);
        for secret in ["canary", gateway.token.as_str()] {
            assert!(!text.contains(secret), "{secret} is in a span");
        }
    }
    let scraped = get(gateway.program.address, "/metrics").body;
    let line = "modelgate_trace_spans_total{result=\"sent\"} 2\n";
    assert!(scraped.contains(line), "{scraped}");
}

#[test]
fn every_attempt_has_a_span_and_clients_and_upstreams_share_the_trace() {
    let collector = Collector::start();
    let runtime = Runtime::new().unwrap();
    let upstream = runtime.block_on(FakeUpstream::start());
    let bad = Scripted::json(&json!({"error": {"message": "canary words"}})).status(500);
    let good = json!({"id": "1", "object": "chat.completion", "created": 1, "model": "far-model",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "ok"}}],
        "usage": {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11}});
    upstream.on_each("/v1/chat/completions", [bad, Scripted::json(&good)]);
    let base = upstream.url("/v1");
    let channel = |name: &str, priority: i32| {
        format!(
            "[[channels]]\nname = \"{name}\"\ntype = \"openai\"\nbase_url = \"{base}\"\n\
             key = \"sk-upstream-canary\"\nmodels = [\"near=far-model\"]\npriority = {priority}\n"
        )
    };
    let gateway = traced(
        &collector,
        &format!(
            "take_traceparent = true\npass_traceparent = true\n\
             [outbound]\nallow_private = [\"127.0.0.0/8\"]\n{}{}\
             [[prices]]\nmodel = \"near\"\ninput = \"1\"\noutput = \"1\"\n",
            channel("first", 2),
            channel("second", 1)
        ),
    );
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let bearer = format!("Bearer {}", gateway.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("traceparent", parent.as_str()),
    ];
    let body = json!({"model": "near", "messages": [{"role": "user", "content": "Hi"}]});
    let line = "POST /v1/chat/completions";
    let reply = send(gateway.program.address, line, &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");

    let spans = collector.wait_for(3);
    let server = &of_kind(&spans, SERVER)[0];
    assert_eq!(hex(&server.trace_id), trace);
    assert_eq!(hex(&server.parent_id), "00f067aa0ba902b7");
    assert_eq!(server.attribute("modelgate.attempts"), "2");
    let clients = of_kind(&spans, CLIENT);
    assert_eq!(clients.len(), 2);
    let (failed, answered) = (&clients[0], &clients[1]);
    assert_eq!(failed.attribute("error.type"), "server_error");
    assert_eq!((failed.status, answered.status), (ERROR, 0));
    assert_eq!(failed.attribute("http.response.status_code"), "500");
    assert_eq!(failed.attribute("modelgate.channel"), "first");
    assert_eq!(answered.attribute("modelgate.channel"), "second");
    for client in &clients {
        assert_eq!(client.name, "chat far-model");
        assert_eq!(client.attribute("gen_ai.request.model"), "far-model");
        assert_eq!(client.attribute("gen_ai.provider.name"), "openai");
        assert_eq!(client.attribute("server.address"), "127.0.0.1");
        let port = upstream.address().port().to_string();
        assert_eq!(client.attribute("server.port"), port);
        assert_eq!(client.parent_id, server.id);
    }
    assert_eq!(answered.attribute("gen_ai.usage.input_tokens"), "8");
    assert_eq!(answered.attribute("gen_ai.usage.output_tokens"), "3");
    let asked = upstream.requests();
    for (request, client) in asked.iter().zip(&clients) {
        let expected = format!("00-{trace}-{}-01", hex(&client.id));
        assert_eq!(request.header("traceparent"), Some(expected.as_str()));
    }
    for body in collector.bodies() {
        assert!(!String::from_utf8_lossy(&body).contains("canary"));
    }
}

#[test]
fn a_collector_that_is_away_costs_spans_and_no_calls() {
    let away = testkit::RefusedAddress::new();
    let endpoint = away.url("/v1/traces");
    let mut gateway = Gateway::with_config(&format!(
        "[telemetry]\notlp_endpoint = \"{endpoint}\"\ntrace_percent = 100\n"
    ));
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hi"}]});
    for _ in 0..3 {
        assert_eq!(gateway.post("/v1/chat/completions", &body).status, 200);
    }
    let scraped = get(gateway.program.address, "/metrics").body;
    let line = "modelgate_trace_spans_total{result=\"sent\"} 0\n";
    assert!(scraped.contains(line), "{scraped}");
    gateway.stop();
}

#[test]
fn without_a_collector_nothing_is_passed_on() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hi"}]});
    assert_eq!(gateway.post("/v1/chat/completions", &body).status, 200);
    let scraped = get(gateway.program.address, "/metrics").body;
    for result in ["sent", "dropped", "failed"] {
        let line = format!("modelgate_trace_spans_total{{result=\"{result}\"}} 0\n");
        assert!(scraped.contains(&line), "{scraped}");
    }
}

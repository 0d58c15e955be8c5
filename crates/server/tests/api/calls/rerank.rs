//! Ranking on its three paths, and moderation.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::gateway::Gateway;
use super::vendor::{Speaks, Vendor};

const TEI: Speaks = Speaks {
    provider: "tei",
    dialect: "chat",
    path: "/rerank",
    stream_path: "/rerank",
};

#[test]
fn documents_are_ranked_on_every_path_and_charged_by_searches() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-rerank", "query": "red fox", "top_n": 2, "return_documents": true,
        "documents": ["a whale", {"text": "the red fox"}, "one fox"]});
    let mut last = None;
    for path in ["/v1/rerank", "/v2/rerank", "/rerank"] {
        let reply = gateway.post(path, &body);
        let answer = reply.json();
        assert_eq!(answer["results"][0]["index"], 1, "{path}");
        assert_eq!(answer["results"][0]["document"]["text"], "the red fox");
        assert_eq!(answer["results"].as_array().unwrap().len(), 2);
        assert_eq!(answer["meta"]["billed_units"]["search_units"], 1);
        last = Some(reply);
    }
    let row = gateway.row(&last.unwrap());
    assert_eq!((row.charge_nanos, row.is_estimated), (200_000, false));
    assert_eq!(row.endpoint, "/rerank");
}

#[test]
fn a_rerank_that_is_wrong_is_refused_by_name() {
    let gateway = Gateway::start();
    for (body, param) in [
        (json!({"model": "demo-rerank", "documents": ["x"]}), "query"),
        (json!({"model": "demo-rerank", "query": "x"}), "documents"),
        (
            json!({"model": "demo-rerank", "query": "x", "documents": []}),
            "documents",
        ),
        (
            json!({"model": "demo-rerank", "query": "x", "documents": ["x"], "top_n": 0}),
            "top_n",
        ),
    ] {
        let reply = gateway.post("/v1/rerank", &body);
        assert_eq!(
            (reply.status, reply.json()["error"]["param"].as_str()),
            (400, Some(param))
        );
    }
}

#[test]
fn contents_are_judged_and_charged_by_tokens() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-moderation", "input": ["I will kill you", "a nice day"]});
    let reply = gateway.post("/v1/moderations", &body);
    let answer = reply.json();
    assert_eq!(answer["results"][0]["flagged"], true);
    assert_eq!(answer["results"][1]["flagged"], false);
    let missing = gateway.post("/v1/moderations", &json!({"model": "demo-moderation"}));
    assert_eq!(
        (missing.status, missing.json()["error"]["param"].as_str()),
        (400, Some("input"))
    );
    // 7 tokens at 0.01 dollars a million.
    assert_eq!(gateway.row(&reply).charge_nanos, 70);
}

#[test]
fn more_documents_than_a_server_takes_become_several_calls_and_one_answer() {
    let vendor = Vendor::speaking(TEI);
    vendor.upstream().on_request("/rerank", |request| {
        let asked = request.json();
        let texts = asked["texts"].as_array().expect("a list");
        let score = |(index, text): (usize, &Value)| json!({"index": index, "score": text.as_str().expect("text").len()});
        Scripted::json(&texts.iter().enumerate().map(score).collect::<Value>())
    });
    let documents: Vec<String> = (1..=70).map(|length| "x".repeat(length)).collect();
    let body = json!({"model": "m", "query": "q", "documents": documents, "top_n": 3});
    let reply = vendor.post("/v1/rerank", &body);
    let answer = reply.json();
    let ranked = answer["results"].as_array().expect("results");
    let indices: Vec<u64> = ranked
        .iter()
        .filter_map(|it| it["index"].as_u64())
        .collect();
    assert_eq!(indices, [69, 68, 67]);
    assert_eq!(vendor.upstream().requests().len(), 3);
    assert_eq!(vendor.logged(&reply).1.len(), 1);
}

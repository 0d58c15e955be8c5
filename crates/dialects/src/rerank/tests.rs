//! Our format against every vendor's shape.

use serde_json::{Value, json};

use super::*;
use crate::canonical::{Failure, FailureKind};
use crate::spoil::{fixture, spoiled};

fn read(body: &Value) -> Result<Request, Failure> {
    Request::read(&serde_json::to_vec(body).unwrap())
}

fn plain() -> Request {
    Request::read(&fixture("rerank", "request-plain.json")).unwrap()
}

fn call(request: &Request, shape: Shape) -> Value {
    serde_json::from_slice(&write_calls(request, shape, "up").unwrap().bodies[0]).unwrap()
}

fn context() -> AnswerContext {
    AnswerContext {
        id: "rr-1".to_owned(),
        model: "named".to_owned(),
        estimated_tokens: 50,
    }
}

fn play(request: &Request, shape: Shape, reply: &str) -> (Value, Answer) {
    let reply = fixture("rerank", reply);
    let answer = answer(request, shape, &[reply], &context()).unwrap();
    (serde_json::from_slice(&answer.body).unwrap(), answer)
}

#[test]
fn bad_fields_are_refused_by_name() {
    for (field, value) in [
        ("model", Value::Null),
        ("query", json!("")),
        ("query", json!(3)),
        ("query", json!({})),
        ("query", Value::Null),
        ("documents", json!([])),
        ("documents", json!("a")),
        ("documents", Value::Null),
        ("top_n", json!(0)),
        ("top_n", json!(-1)),
        ("top_n", json!("2")),
        ("top_k", json!(0)),
        ("return_documents", json!("yes")),
        ("rank_fields", json!("title")),
    ] {
        let mut body = json!({"model": "m", "query": "q", "documents": ["a"]});
        body[field] = value.clone();
        let failure = read(&body).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(field), "{value}");
    }
    let body = json!({"model": "m", "query": "q", "documents": ["a", 1]});
    assert_eq!(
        read(&body).unwrap_err().param.as_deref(),
        Some("documents[1]")
    );
}

#[test]
fn a_top_beyond_the_documents_is_all_of_them() {
    let mut body = json!({"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 9});
    assert_eq!(read(&body).unwrap().top_n, Some(2));
    body["top_n"] = Value::Null;
    assert_eq!(read(&body).unwrap().top_n, None);
    body["top_k"] = json!(1);
    assert_eq!(read(&body).unwrap().top_n, Some(1));
}

#[test]
fn each_vendor_gets_its_own_words() {
    let request = plain();
    let texts = json!(["a red fox", "a blue whale", "a stone"]);
    let query = "which animal swims";
    assert_eq!(
        call(&request, Shape::Compatible),
        json!({"model": "up", "query": query, "documents": texts, "return_documents": false, "top_n": 2})
    );
    assert_eq!(
        call(&request, Shape::Cohere),
        json!({"model": "up", "query": query, "documents": texts, "top_n": 2})
    );
    assert_eq!(
        call(&request, Shape::Voyage),
        json!({"model": "up", "query": query, "documents": texts, "top_k": 2})
    );
    assert_eq!(
        call(&request, Shape::Tei),
        json!({"query": query, "texts": texts, "truncate": true})
    );
    assert_eq!(
        call(&request, Shape::DashScope),
        json!({"model": "up", "input": {"query": query, "documents": texts},
            "parameters": {"return_documents": false, "top_n": 2}})
    );
    let vertex = call(&request, Shape::Vertex);
    assert_eq!(
        vertex["records"][1],
        json!({"id": "1", "content": "a blue whale"})
    );
    assert_eq!(vertex["topN"], 2);
}

#[test]
fn no_top_means_all() {
    let body = json!({"model": "m", "query": "q", "documents": ["a", "b"]});
    let request = read(&body).unwrap();
    for shape in Shape::ALL {
        let body = call(&request, shape);
        for name in ["top_n", "top_k", "topN"] {
            assert!(body.get(name).is_none(), "{shape:?}");
        }
    }
}

#[test]
fn objects_become_lines_where_a_vendor_takes_texts_alone() {
    let request = Request::read(&fixture("rerank", "request-objects.json")).unwrap();
    assert_eq!(
        call(&request, Shape::Cohere)["documents"],
        json!(["a blue whale", "title: Fox\nbody: a red fox"])
    );
    let dropped = write_calls(&request, Shape::Cohere, "up").unwrap().dropped;
    assert_eq!(dropped, ["max_chunks_per_doc", "instruction"]);
    let compatible = call(&request, Shape::Compatible);
    assert_eq!(compatible["documents"][1]["year"], 1999);
    assert_eq!(compatible["instruction"], "be strict");
    assert_eq!(compatible["rank_fields"], json!(["title", "body"]));

    let body =
        json!({"model": "m", "query": "q", "documents": [{"text": "a"}, {"a": 1, "b": "c"}]});
    let texts = call(&read(&body).unwrap(), Shape::Voyage)["documents"].clone();
    assert_eq!(texts, json!(["a", "a: 1\nb: c"]));
}

#[test]
fn images_are_refused_where_a_vendor_ranks_text_alone() {
    let request = Request::read(&fixture("rerank", "request-image-query.json")).unwrap();
    assert!(write_calls(&request, Shape::Compatible, "up").is_ok());
    let failure = write_calls(&request, Shape::Voyage, "up").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
}

#[test]
fn every_vendors_answer_becomes_ours() {
    let mut request = plain();
    request.return_documents = false;
    request.top_n = None;
    for (shape, reply, id, model, best, tokens) in [
        (
            Shape::Compatible,
            "reply-compatible.json",
            "rr-1",
            "rank-up",
            1,
            38,
        ),
        (
            Shape::Compatible,
            "reply-siliconflow.json",
            "s-1",
            "named",
            1,
            21,
        ),
        (Shape::Cohere, "reply-cohere.json", "c-1", "named", 1, 50),
        (Shape::Voyage, "reply-voyage.json", "rr-1", "rank-v", 1, 26),
        (Shape::Tei, "reply-tei.json", "rr-1", "named", 1, 50),
        (
            Shape::DashScope,
            "reply-dashscope.json",
            "r-1",
            "named",
            0,
            79,
        ),
        (Shape::Vertex, "reply-vertex.json", "rr-1", "named", 1, 50),
    ] {
        let (body, answer) = play(&request, shape, reply);
        assert_eq!(body["id"], id, "{reply}");
        assert_eq!(body["object"], "list");
        assert_eq!(body["model"], model, "{reply}");
        assert_eq!(body["results"][0]["index"], best, "{reply}");
        assert!(body["results"][0].get("document").is_none());
        assert_eq!(body["usage"]["total_tokens"], tokens, "{reply}");
        assert_eq!(body["meta"]["billed_units"]["search_units"], 1);
        assert_eq!(answer.tokens_estimated, tokens == 50, "{reply}");
        assert_eq!(answer.search_units_estimated, shape != Shape::Cohere);
    }
}

#[test]
fn results_are_sorted_cut_and_keep_every_digit() {
    let (body, _) = play(&plain(), Shape::Compatible, "reply-compatible.json");
    assert_eq!(
        body["results"],
        serde_json::from_str::<Value>(
            r#"[{"index":1,"relevance_score":0.982,"document":{"text":"a blue whale"}},
            {"index":0,"relevance_score":0.1134567890123456789,"document":{"text":"a red fox"}}]"#
        )
        .unwrap()
    );
}

#[test]
fn documents_come_back_as_they_were_given() {
    let mut request = Request::read(&fixture("rerank", "request-objects.json")).unwrap();
    request.return_documents = true;
    let reply = br#"{"results":[{"index":1,"relevance_score":2},{"index":0,"relevance_score":1}]}"#;
    let answer = answer(&request, Shape::Cohere, &[reply], &context()).unwrap();
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(body["results"][0]["document"]["year"], 1999);
    assert_eq!(
        body["results"][1]["document"],
        json!({"text": "a blue whale"})
    );
}

#[test]
fn search_units_are_told_or_counted_by_the_hundred() {
    let count = |documents: usize| {
        let body = json!({"model": "m", "query": "q", "documents": vec!["a"; documents]});
        read(&body).unwrap().search_units()
    };
    assert_eq!((count(1), count(100), count(101)), (1, 1, 2));
    let reply = br#"{"results":[],"meta":{"billed_units":{"search_units":3.0}}}"#;
    let answer = answer(&plain(), Shape::Cohere, &[reply], &context()).unwrap();
    assert_eq!(answer.units.search_units, Some(3));
}

#[test]
fn more_documents_than_a_server_takes_become_several_calls_and_one_ranking() {
    let documents: Vec<String> = (0..40).map(|index| format!("d{index}")).collect();
    let body = json!({"model": "m", "query": "q", "documents": documents, "truncate": false});
    let request = read(&body).unwrap();
    let calls = write_calls(&request, Shape::Tei, "up").unwrap();
    let bodies = calls.bodies.iter().map(|body| serde_json::from_slice(body));
    let bodies: Vec<Value> = bodies.map(Result::unwrap).collect();
    let [first, second] = &bodies[..] else {
        panic!("two calls, not {}", bodies.len());
    };
    assert_eq!(first["texts"].as_array().unwrap().len(), 32);
    assert_eq!(second["texts"][0], "d32");
    assert_eq!([&first["truncate"], &second["truncate"]], [false, false]);
    let replies = [
        r#"[{"index":31,"score":0.5},{"index":0,"score":0.1}]"#,
        r#"[{"index":7,"score":0.9}]"#,
    ];
    let ranked = answer(&request, Shape::Tei, &replies, &context()).unwrap();
    let ranked: Value = serde_json::from_slice(&ranked.body).unwrap();
    let indices = ["/results/0/index", "/results/1/index", "/results/2/index"];
    assert_eq!(
        indices.map(|place| ranked.pointer(place).unwrap().as_u64().unwrap()),
        [39, 31, 0]
    );
    let beyond = [replies[0], r#"[{"index":8,"score":0.9}]"#];
    assert!(answer(&request, Shape::Tei, &beyond, &context()).is_err());
}

#[test]
fn a_result_without_a_score_or_a_document_is_the_upstreams_fault() {
    for (shape, reply) in [
        (Shape::Vertex, r#"{"records":[{"id":"0"}]}"#),
        (Shape::Tei, r#"[{"index":9,"score":1}]"#),
        (Shape::Tei, r#"[{"index":-1,"score":1}]"#),
        (
            Shape::Compatible,
            r#"{"results":[{"index":0,"relevance_score":"high"}]}"#,
        ),
        (
            Shape::Compatible,
            r#"{"results":[{"index":0,"relevance_score":1e999}]}"#,
        ),
        (Shape::Compatible, "{}"),
        (
            Shape::DashScope,
            r#"{"code":"InvalidParameter","message":"no","request_id":"r"}"#,
        ),
    ] {
        let failure = answer(&plain(), shape, &[reply], &context()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UpstreamBad, "{reply}");
    }
}

#[test]
fn spoiled_bodies_never_panic_and_answers_are_json() {
    spoiled("rerank", "request-", |body| {
        let Ok(request) = Request::read(body) else {
            return;
        };
        for shape in Shape::ALL {
            if let Ok(written) = write_calls(&request, shape, "up") {
                for body in written.bodies {
                    serde_json::from_slice::<Value>(&body).expect("JSON");
                }
            }
        }
    });
    let request = plain();
    spoiled("rerank", "reply-", |reply| {
        for shape in Shape::ALL {
            if let Ok(answer) = answer(&request, shape, &[reply], &context()) {
                serde_json::from_slice::<Value>(&answer.body).expect("JSON");
            }
        }
    });
}

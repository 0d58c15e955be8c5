//! Every shape of error body that vendors are known to send.

use super::*;

fn read(status: u16, body: &str) -> (FailureKind, String) {
    let failure = read_error(status, body.as_bytes());
    (failure.kind, failure.message)
}

#[test]
fn every_shape_gives_its_message() {
    for body in [
        r#"{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":null}}"#,
        r#"{"error":"No."}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"No."}}"#,
        r#"[{"error":{"code":400,"message":"No.","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"message":"No."}"#,
        r#"{"detail":"No."}"#,
        r#"{"detail":[{"loc":["body","n"],"msg":"No.","type":"value_error"}]}"#,
        r#"{"code":1210,"msg":"No."}"#,
        r#"{"error":{"message":{"message":"No."}}}"#,
        r#"{"errors":[{"message":"No."}]}"#,
        r#""No.""#,
        "No.",
        "  <html><head><style>p {}</style></head><body><p>No.</p></body></html>",
    ] {
        assert_eq!(
            read(400, body),
            (FailureKind::BadRequest, "No.".into()),
            "{body}"
        );
    }
}

#[test]
fn a_body_that_says_nothing_still_gives_words() {
    for body in ["", "{}", "[]", "null", "<html></html>", r#"{"error":null}"#] {
        let failure = read_error(502, body.as_bytes());
        assert_eq!(failure.kind, FailureKind::UpstreamBad, "{body}");
        assert!(failure.log_text().contains("502"), "{body}");
    }
}

#[test]
fn the_status_tells_the_kind_unless_words_say_more() {
    let plain = r#"{"error":{"message":"x"}}"#;
    for (status, kind) in [
        (400, FailureKind::BadRequest),
        (401, FailureKind::Unauthenticated),
        (402, FailureKind::NoBalance),
        (403, FailureKind::Forbidden),
        (404, FailureKind::NotFound),
        (408, FailureKind::Timeout),
        (409, FailureKind::Conflict),
        (413, FailureKind::TooLarge),
        (415, FailureKind::UnsupportedMedia),
        (422, FailureKind::BadRequest),
        (424, FailureKind::UpstreamBad),
        (429, FailureKind::RateLimited),
        (500, FailureKind::UpstreamBad),
        (503, FailureKind::Overloaded),
        (504, FailureKind::Timeout),
        (529, FailureKind::Overloaded),
    ] {
        assert_eq!(read(status, plain).0, kind, "{status}");
    }
    for (status, body, kind) in [
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"x"}}"#,
            FailureKind::NoBalance,
        ),
        (
            404,
            r#"{"error":{"code":"model_not_found","message":"x"}}"#,
            FailureKind::ModelNotFound,
        ),
        (
            404,
            r#"{"error":{"message":"no such Model"}}"#,
            FailureKind::ModelNotFound,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT",
                "details":[{"reason":"API_KEY_INVALID"}]}}"#,
            FailureKind::Unauthenticated,
        ),
    ] {
        assert_eq!(read(status, body).0, kind, "{body}");
    }
}

#[test]
fn a_prompt_that_is_too_long_or_forbidden_is_told_apart() {
    for body in [
        r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
        r#"{"error":{"message":"This model's maximum context length is 8 tokens."}}"#,
        r#"{"error":{"status":"INVALID_ARGUMENT","message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}"#,
    ] {
        assert_eq!(read(400, body).0, FailureKind::ContextTooLong, "{body}");
    }
    for body in [
        r#"{"error":{"message":"x","code":"content_policy_violation"}}"#,
        r#"{"error":{"message":"x","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        r#"{"error":{"message":"Rejected by our safety system."}}"#,
    ] {
        assert_eq!(read(400, body).0, FailureKind::ContentBlocked, "{body}");
    }
}

#[test]
fn an_error_inside_a_stream_is_judged_by_its_words() {
    for (body, kind) in [
        (
            r#"{"error":{"type":"overloaded_error","message":"x"}}"#,
            FailureKind::Overloaded,
        ),
        (
            r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#,
            FailureKind::RateLimited,
        ),
        (
            r#"{"error":{"code":429,"message":"x"}}"#,
            FailureKind::RateLimited,
        ),
        (
            r#"{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}"#,
            FailureKind::Overloaded,
        ),
        (
            r#"{"error":{"type":"invalid_request_error","message":"x"}}"#,
            FailureKind::BadRequest,
        ),
        (
            r#"{"error":{"type":"server_error","code":"overloaded","message":"x"}}"#,
            FailureKind::Overloaded,
        ),
        (
            r#"{"error":{"type":"invalid_request_error","code":"server_error","message":"x"}}"#,
            FailureKind::UpstreamBad,
        ),
        (r#"{"error":{"message":"boom"}}"#, FailureKind::UpstreamBad),
    ] {
        assert_eq!(read(200, body).0, kind, "{body}");
    }
}

#[test]
fn field_and_code_are_passed_on_for_bad_requests_only() {
    let body = r#"{"error":{"message":"x","param":"top_p","code":"invalid_value"}}"#;
    let failure = read_error(400, body.as_bytes());
    assert_eq!(failure.param.as_deref(), Some("top_p"));
    assert_eq!(failure.code.as_deref(), Some("invalid_value"));
    assert_eq!(read_error(500, body.as_bytes()).code, None);
    let google = br#"{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT","details":[
        {"fieldViolations":[{"field":"contents[0]","description":"required"}]},{"retryDelay":"34s"}]}}"#;
    let failure = read_error(400, google);
    assert_eq!(failure.param.as_deref(), Some("contents[0]"));
    assert_eq!(failure.code, None);
    assert_eq!(failure.retry_after_ms, Some(34_000));
    let validation = br#"{"detail":[{"loc":["body","messages",0],"msg":"x"}]}"#;
    assert_eq!(
        read_error(422, validation).param.as_deref(),
        Some("messages.0")
    );
}

#[test]
fn text_is_cut_between_characters_and_keys_are_hidden() {
    let long = "é".repeat(400);
    assert_eq!(read(400, &long).1.len(), 500);
    let page = "upstream https://inner.test:8443/x said: Bearer abcdef";
    assert_eq!(read(400, page).1, "upstream *** said: Bearer ***");
}

#[test]
fn a_client_never_sees_the_trouble_with_our_credential() {
    for status in [401, 402, 403] {
        let failure = for_client(read_error(status, br#"{"error":{"message":"key is bad"}}"#));
        assert_eq!(failure.kind, FailureKind::UpstreamBad);
        assert!(!failure.message.contains("key"));
    }
    let failure = for_client(read_error(400, br#"{"error":{"message":"n is bad"}}"#));
    assert_eq!(failure.message, "n is bad");
}

#[test]
fn only_a_failure_about_the_request_has_the_text_of_the_upstream() {
    const TEXT: &str = "vendor account org-77 does not like it";
    let body = |code: &str| format!(r#"{{"error":{{"message":"{TEXT}","type":"{code}"}}}}"#);
    for status in 400..600 {
        for code in [
            "",
            "invalid_request_error",
            "content_filter",
            "rate_limit_error",
        ] {
            let failure = for_client(read_error(status, body(code).as_bytes()));
            let is_about_request = matches!(status, 400 | 406 | 411..=417 | 422 | 431);
            let shows = failure.message.contains("vendor account");
            let expected = is_about_request && code != "rate_limit_error";
            assert_eq!(shows, expected, "{status} {code}: {failure:?}");
            let masked = "vendor account *** does not like it";
            assert_eq!(failure.log_text(), masked, "{status} {code}");
        }
    }
    for code in [
        "rate_limit_error",
        "server_error",
        "overloaded_error",
        "",
        "api_error",
    ] {
        let failure = for_client(read_error(200, body(code).as_bytes()));
        assert!(!failure.message.contains("vendor account"), "{failure:?}");
        assert!(failure.log_text().contains("vendor account"), "{failure:?}");
    }
}

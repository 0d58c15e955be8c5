//! Streams in great number and of great length: none is lost, and the gateway's memory stays small.

use std::fmt::Write as _;
use std::time::Duration;

use testkit::{FakeUpstream, Reply as Scripted};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::gateway::Gateway;

/// How many streams run at once.
const STREAMS: usize = 2_000;
/// What one of them may take, in bytes.
const MOST_PER_STREAM: usize = 64 * 1024;
/// The length of the long stream; four times that where `MODELGATE_LONG_STREAM` is set.
const LONG: usize = 1 << 28;

/// A gateway whose one vendor is a fake upstream.
fn gateway(upstream: &FakeUpstream) -> Gateway {
    Gateway::with_config(&format!(
        "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n\
         [billing]\nunpriced = \"free\"\n\
         [[channels]]\nname = \"slow\"\ntype = \"openai\"\nbase_url = \"{}\"\nkey = \"k\"\n\
         models = [\"m\"]\ndialects = [\"chat\"]\n",
        upstream.url("/v1")
    ))
}

fn request(gateway: &Gateway) -> String {
    let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: gate\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        gateway.token,
        body.len()
    )
}

fn chunk(text: &str) -> String {
    format!(
        r#"{{"id":"c","object":"chat.completion.chunk","created":1,"model":"up","choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]}}"#
    )
}

/// Asks, and counts the bytes and the events of the answer.
async fn read(gateway: std::net::SocketAddr, request: String) -> (usize, String) {
    let mut stream = TcpStream::connect(gateway).await.expect("it accepts");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    let (mut length, mut tail) = (0, String::new());
    let mut piece = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        length += read;
        let _ = write!(tail, "{}", String::from_utf8_lossy(&piece[..read]));
        let cut = tail.len().saturating_sub(4096);
        if cut > 0 && tail.is_char_boundary(cut) {
            tail.drain(..cut);
        }
    }
    (length, tail)
}

#[test]
fn two_thousand_slow_streams_take_little_memory_and_none_is_lost() {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let upstream = FakeUpstream::start().await;
        let mut slow = Scripted::sse()
            .data(&chunk("0"))
            .every(Duration::from_secs(1));
        for second in 1..=8 {
            slow = slow.data(&chunk(&second.to_string()));
        }
        upstream.on("/v1/chat/completions", slow.data("[DONE]"));
        let gateway = gateway(&upstream);
        // The first call of all brings code and tables into memory that every later one shares.
        read(gateway.program.address, request(&gateway)).await;
        let idle = gateway.program.memory();
        let mut streams = JoinSet::new();
        for _ in 0..STREAMS {
            streams.spawn(read(gateway.program.address, request(&gateway)));
            // So many connections at one instant would overrun the queue of the listener.
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
        upstream.wait_for_requests(1 + STREAMS).await;
        let running = gateway.program.memory();
        let each = running.saturating_sub(idle) / STREAMS;
        let answers = streams.join_all().await;
        let whole = answers.iter().filter(|(_, tail)| {
            tail.contains("\"content\":\"8\"") && tail.contains("data: [DONE]")
        });
        assert_eq!(whole.count(), STREAMS);
        assert!(each < MOST_PER_STREAM, "{each} bytes a stream");
    });
}

#[test]
fn a_long_stream_leaves_the_memory_flat() {
    let is_longer = std::env::var_os("MODELGATE_LONG_STREAM").is_some();
    let long = if is_longer { 4 * LONG } else { LONG };
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let upstream = FakeUpstream::start().await;
        let piece = bytes::Bytes::from(format!("data: {}\n\n", chunk(&"x".repeat(64 * 1024))));
        let mut reply = Scripted::sse();
        for _ in 0..long / piece.len() {
            reply = reply.bytes(piece.clone());
        }
        // With its usage: counting would bring the tokenizer's tables into memory.
        let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
        upstream.on("/v1/chat/completions", reply.data(end).data("[DONE]"));
        let gateway = gateway(&upstream);
        let idle = gateway.program.memory();
        let (length, tail) = read(gateway.program.address, request(&gateway)).await;
        assert!(length > long - (1 << 20), "{length} bytes came");
        assert!(tail.contains("data: [DONE]"), "{tail}");
        let grown = gateway.program.peak_memory().saturating_sub(idle);
        assert!(grown < 16 << 20, "grown by {grown} bytes");
    });
}

//! Streams of HTTP/2 that are reset before their end. The peer is written by hand: no library resets a stream without an
//! error in the middle of its answer.

use providers::transport::TransportError;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::secure::{acceptor, trusting};
use crate::support::{client, post, read};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:status: 200`, from the static table.
const OK: &[u8] = &[0x88];
/// The same with `content-length: 10`.
const OK_OF_TEN: &[u8] = b"\x88\x0f\x0d\x0210";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags];
    [&head[..], &stream.to_be_bytes(), payload].concat()
}

/// Reads frames up to the end of a request's head.
async fn read_head(wire: &mut (impl AsyncRead + Unpin)) {
    let mut preface = [0; 24];
    wire.read_exact(&mut preface).await.unwrap();
    loop {
        let mut head = [0; 9];
        wire.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        wire.read_exact(&mut payload).await.unwrap();
        if head[3] == HEADERS {
            return;
        }
    }
}

/// What a client gets of these frames.
async fn answered(frames: Vec<u8>) -> Result<String, TransportError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://upstream.test:{}/x",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut wire = acceptor(true).accept(stream).await.unwrap();
        wire.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
        read_head(&mut wire).await;
        wire.write_all(&frames).await.unwrap();
        // Whatever else the client sends is of no interest.
        let _ = tokio::io::copy(&mut wire, &mut tokio::io::sink()).await;
    });
    let reply = client().send(post(&url), &trusting()).await?;
    read(reply).await.map(|(_, text)| text)
}

fn answer(head: &[u8], rest: &[Vec<u8>]) -> Vec<u8> {
    let mut frames = frame(HEADERS, END_HEADERS, 1, head);
    frames.extend(frame(DATA, 0, 1, b"hello"));
    frames.extend(rest.concat());
    frames
}

#[tokio::test]
async fn a_stream_that_is_reset_has_not_ended() {
    for reason in 0..14_u32 {
        let reset = frame(RST_STREAM, 0, 1, &reason.to_be_bytes());
        for head in [OK, OK_OF_TEN] {
            let got = answered(answer(head, std::slice::from_ref(&reset))).await;
            let is_closed = matches!(got, Err(TransportError::Closed { answered: true, .. }));
            assert!(is_closed, "{reason}: {got:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_has_ended_may_be_reset() {
    let end = frame(DATA, END_STREAM, 1, b"");
    let more = frame(DATA, 0, 1, b"world");
    let reset = frame(RST_STREAM, 0, 1, &0_u32.to_be_bytes());
    let got = answered(answer(OK, std::slice::from_ref(&end))).await;
    assert_eq!(got.unwrap(), "hello");
    let got = answered(answer(OK_OF_TEN, &[more.clone(), reset])).await;
    assert_eq!(got.unwrap(), "helloworld");
    let got = answered(answer(OK_OF_TEN, &[more, end])).await;
    assert_eq!(got.unwrap(), "helloworld");
}

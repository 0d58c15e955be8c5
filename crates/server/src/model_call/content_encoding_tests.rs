//! Each encoding, chains of them, bombs, and what is broken.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::HeaderValue;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;
use crate::body_memory::BodyMemory;

const MIB: usize = 1 << 20;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn decoded(names: &str, body: &[u8], limit: usize) -> Result<Bytes, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert("content-encoding", HeaderValue::from_str(names).unwrap());
    let codings = codings(&headers)?;
    let memory = Arc::<BodyMemory>::default();
    let body = Bytes::copy_from_slice(body);
    let mut decoding = Decoding::new(body, &codings, limit, memory.guard(None, 64 * MIB))?;
    while !decoding.advance(10_000)? {}
    Ok(decoding.into_bytes())
}

fn kind(names: &str, body: &[u8]) -> FailureKind {
    decoded(names, body, MIB).unwrap_err().kind
}

#[test]
fn every_encoding_decodes() {
    let text = "a text of some length, ".repeat(10_000);
    let text = text.as_bytes();
    for (names, body) in [
        ("gzip", gzip(text)),
        ("X-GZIP", gzip(text)),
        ("deflate", zlib(text)),
        ("deflate", raw_deflate(text)),
        ("zstd", zstd(text)),
        ("gzip, zstd", zstd(&gzip(text))),
        ("identity, gzip", gzip(text)),
        ("gzip", [gzip(&text[..9]), gzip(&text[9..])].concat()),
        ("zstd", [zstd(&text[..9]), zstd(&text[9..])].concat()),
        // A frame to be skipped.
        (
            "zstd",
            [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(text)].concat(),
        ),
        ("identity", text.to_vec()),
    ] {
        let decoded = decoded(names, &body, MIB);
        assert!(decoded.is_ok_and(|decoded| decoded == text), "{names}");
    }
    let text = r#"{"a": "b"}"#.repeat(20);
    assert_eq!(decoded("br", &BROTLI, MIB).unwrap(), text);
    assert_eq!(decoded("br, gzip", &gzip(&BROTLI), MIB).unwrap(), text);
}

/// Twenty times `{"a": "b"}`, compressed by the encoder of Node.js.
const BROTLI: [u8; 27] = [
    0x1b, 0xc7, 0x00, 0xf8, 0x8d, 0xd3, 0x15, 0xf7, 0x21, 0x0d, 0x7e, 0xb2, 0x14, 0x11, 0xdb, 0x6b,
    0x10, 0x9d, 0xb0, 0x3e, 0x21, 0x60, 0x28, 0x00, 0xbe, 0x88, 0x0c,
];
/// 20 MiB of zeros.
const BROTLI_BOMB: [u8; 40] = [
    0xcb, 0xff, 0xff, 0x3f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x8f, 0xff, 0xff,
    0x7f, 0xf0, 0x4f, 0x00, 0xc4, 0x61, 0x11, 0x80, 0xee, 0xfd, 0x5f, 0xfe, 0xff, 0xff, 0xe0, 0x9f,
    0x00, 0x88, 0xc3, 0x02, 0x00, 0xdd, 0xfb, 0x1f,
];

#[test]
fn a_result_beyond_the_limit_is_too_large() {
    let zeros = vec![0; 20 * MIB];
    for (names, body) in [
        ("gzip", gzip(&zeros)),
        ("zstd", zstd(&zeros)),
        ("br", BROTLI_BOMB.to_vec()),
        ("gzip, gzip", gzip(&gzip(&zeros))),
        // What is too large is between the two: 16 MiB that zstd skips.
        (
            "zstd, gzip",
            gzip(&[&b"\x50\x2a\x4d\x18\0\0\0\x01"[..], &zeros].concat()),
        ),
    ] {
        assert_eq!(kind(names, &body), FailureKind::TooLarge, "{names}");
    }
}

#[test]
fn what_is_broken_is_a_bad_request() {
    let text = "a text ".repeat(100);
    let whole = gzip(text.as_bytes());
    let mut wrong = zstd(text.as_bytes());
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    // A window of 1 GiB.
    let wide = [&b"\x28\xb5\x2f\xfd\x00\xa0"[..], b"\x01\0\0"].concat();
    let empty = gzip(b"");
    for (names, body) in [
        ("gzip", whole[..whole.len() - 1].to_vec()),
        ("gzip", [&whole[..], b"more"].concat()),
        ("gzip", empty.repeat(MAX_MEMBERS + 1)),
        ("deflate", b"\x78\x9cno".to_vec()),
        ("br", BROTLI[..20].to_vec()),
        ("zstd", zstd(text.as_bytes())[..20].to_vec()),
        ("zstd", wrong),
        ("zstd", wide),
        ("zstd", text.into_bytes()),
        ("gzip, zstd", whole),
    ] {
        assert_eq!(kind(names, &body), FailureKind::BadRequest, "{names}");
    }
}

#[test]
fn other_encodings_are_not_supported() {
    for names in [
        "compress",
        "gzip, gzip, gzip",
        "gzip; q=1",
        "gzip, lzma",
        "*",
    ] {
        assert_eq!(kind(names, b""), FailureKind::UnsupportedMedia, "{names}");
    }
}

//! Every fixture beside what each other dialect makes of it, one snapshot a fixture, so that a
//! reviewer sees input and output together. `INSTA_UPDATE=always` takes new output over.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use dialects::canonical::Failure;
use dialects::convert::{convert_reply, dialect};
use dialects::{DialectId, error_body};
use serde_json::Value;

use crate::calls::{self, BOTH_SIDES};
use crate::fixtures::{self, Fixture, Kind};

#[test]
fn every_fixture_becomes_what_its_snapshot_shows() {
    let mut expected = BTreeSet::new();
    let mut changed = Vec::new();
    for fixture in fixtures::all() {
        let name = fixture.title.replace('/', "__");
        let shown = show(&fixture);
        let compared = std::panic::catch_unwind(|| {
            insta::with_settings!({
                prepend_module_to_snapshot => false,
                omit_expression => true,
                snapshot_path => "snapshots",
            }, {
                insta::assert_snapshot!(name.clone(), shown);
            });
        });
        if compared.is_err() {
            changed.push(name.clone());
        }
        expected.insert(format!("{name}.snap"));
    }
    assert!(changed.is_empty(), "these changed: {changed:#?}");
    assert_eq!(
        stored().difference(&expected).count(),
        0,
        "no snapshot without its fixture"
    );
}

fn stored() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversion/snapshots");
    let entries = std::fs::read_dir(folder).expect("there are snapshots");
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok()).collect()
}

fn show(fixture: &Fixture) -> String {
    let mut out = format!("── {} ──\n", fixture.title);
    out += &match fixture.kind {
        Kind::Stream => String::from_utf8_lossy(&fixture.bytes).into_owned(),
        _ => pretty(&fixture.bytes),
    };
    match fixture.kind {
        Kind::Request => show_request(&mut out, fixture),
        Kind::Reply => show_reply(&mut out, fixture),
        Kind::Stream => show_stream(&mut out, fixture),
        Kind::Error => show_error(&mut out, fixture),
    }
    out
}

fn heading(out: &mut String, side: &str, id: DialectId) {
    let _ = write!(out, "\n\n── {side} {} ──\n", id.name());
}

fn show_request(out: &mut String, fixture: &Fixture) {
    let body = fixture.json();
    for upstream in BOTH_SIDES.into_iter().filter(|id| *id != fixture.dialect) {
        heading(out, "to", upstream);
        match calls::send(fixture.dialect, upstream, "test-model", &body) {
            Ok(sent) => {
                if !sent.dropped.is_empty() {
                    let _ = writeln!(out, "dropped: {}", sent.dropped.join(", "));
                }
                let cut = &sent.context.stop;
                if !cut.is_empty() {
                    let _ = writeln!(out, "cut on the way back: {cut:?}");
                }
                *out += &pretty(sent.body.to_string().as_bytes());
            }
            Err(failure) => refused(out, &failure),
        }
    }
}

fn show_reply(out: &mut String, fixture: &Fixture) {
    for client in DialectId::ALL
        .into_iter()
        .filter(|id| *id != fixture.dialect)
    {
        heading(out, "for", client);
        let context = calls::context();
        match convert_reply(fixture.dialect, client, &fixture.bytes, &context) {
            Ok((written, _)) => {
                if !written.dropped.is_empty() {
                    let _ = writeln!(out, "dropped: {}", written.dropped.join(", "));
                }
                *out += &pretty(&written.body);
            }
            Err(failure) => refused(out, &failure),
        }
    }
}

fn show_stream(out: &mut String, fixture: &Fixture) {
    for client in DialectId::ALL
        .into_iter()
        .filter(|id| *id != fixture.dialect)
    {
        heading(out, "for", client);
        let stream = calls::stream(fixture.dialect, client, &fixture.bytes, &calls::context());
        *out += std::str::from_utf8(&stream).expect("a client's stream is UTF-8");
    }
}

fn show_error(out: &mut String, fixture: &Fixture) {
    let failure = error_body::for_client(error_body::read_error(400, &fixture.bytes));
    for client in DialectId::ALL {
        heading(out, "for", client);
        *out += &pretty(&dialect(client).write_error(&failure, 400, "req_test"));
    }
}

fn refused(out: &mut String, failure: &Failure) {
    let _ = write!(
        out,
        "{:?} at {:?}: {}",
        failure.kind, failure.param, failure.message
    );
}

fn pretty(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => format!("{value:#}"),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

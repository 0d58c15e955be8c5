//! One fuzzer for all readers: `MODELGATE_FUZZ` names the target (`messages/stream`, `scan` …).

#![no_main]

mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

static CHOSEN: OnceLock<targets::Target> = OnceLock::new();

fn chosen() -> targets::Target {
    let name = std::env::var("MODELGATE_FUZZ").expect("MODELGATE_FUZZ names the target");
    let all = targets::all();
    let found = all.into_iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("there is no target `{name}`"))
}

fuzz_target!(|bytes: &[u8]| CHOSEN.get_or_init(chosen).run(bytes));

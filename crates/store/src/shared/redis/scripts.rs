//! The Lua scripts and their names. Each begins with the same preamble that settles the time.

use std::sync::LazyLock;

use redis::Script;

/// `now` is the first argument or, when that is -1, the clock of the Redis server.
const CLOCK: &str = include_str!("scripts/clock.lua");

pub(super) static TAKE: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/take.lua")));
pub(super) static CORRECT: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/correct.lua")));
pub(super) static ACQUIRE_SLOT: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/acquire_slot.lua")));
pub(super) static RENEW_SLOTS: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/renew_slots.lua")));
pub(super) static ACQUIRE_LOCK: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/acquire_lock.lua")));
pub(super) static RENEW_LOCK: LazyLock<Script> =
    LazyLock::new(|| with_clock(include_str!("scripts/renew_lock.lua")));
pub(super) static RELEASE_LOCK: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/release_lock.lua")));

fn with_clock(body: &str) -> Script {
    Script::new(&format!("{CLOCK}{body}"))
}

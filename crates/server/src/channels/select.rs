//! Which channel of a tier a call goes to: by weight, biased by latency and load, or, where a
//! conversation has been before, the same again. Only ever among channels that would take the call.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use providers::Operation;

use super::health::Barrier;
use super::ways::{Tier, Way};
use crate::randomness::Randomness;

/// Tiers up to this size are looked at whole; of larger ones at most so many are drawn by weight…
const LOOKED_AT: usize = 16;
/// …until so many would take the call. Who is better of two is nearly who is best of all, and channels that calls
/// seldom come by are far away in memory.
const COMPARED: usize = 2;
/// A channel gets at least this part of the share that its weight gives it, however slow or loaded.
const LEAST_BIAS: f64 = 1.0 / 16.0;
/// A conversation leaves its channel when that has so many times the load of the others…
const LOADED: f64 = 2.0;
/// …and so many calls more.
const LOADED_BY: f64 = 4.0;

/// What a call needs of a channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) operation: Operation,
    pub(super) tokens: u64,
    pub(super) affinity: Option<u64>,
    pub(super) now_ms: i64,
}

/// Why a way cannot be taken now, or none. A key is enough.
pub(super) fn barrier(
    way: &Way,
    operation: Operation,
    tokens: u64,
    now_ms: i64,
) -> Result<(), Barrier> {
    let channel = &way.channel;
    channel.health.gate.check(channel.limits, tokens, now_ms)?;
    let lacks_until = channel
        .health
        .lacks_until(operation, &way.upstream_model, now_ms);
    if let Some(until_ms) = lacks_until {
        return Err(Barrier::Open { until_ms });
    }
    let mut first = None;
    for key in &channel.keys {
        match key.gate.check(key.limits, tokens, now_ms) {
            Ok(()) => return Ok(()),
            Err(barrier) => first = Some(soonest(first, barrier, now_ms)),
        }
    }
    first.map_or(Ok(()), Err)
}

/// Of two barriers the one that goes first.
pub(super) fn soonest(first: Option<Barrier>, second: Barrier, now_ms: i64) -> Barrier {
    match first {
        Some(first) if wait_ms(first, now_ms) <= wait_ms(second, now_ms) => first,
        _ => second,
    }
}

/// After how long a barrier may be gone.
pub(super) fn wait_ms(barrier: Barrier, now_ms: i64) -> u64 {
    match barrier {
        Barrier::Open { until_ms } | Barrier::Cooling { until_ms } => {
            u64::try_from(until_ms.saturating_sub(now_ms)).unwrap_or(0)
        }
        Barrier::Requests { wait_ms } | Barrier::Tokens { wait_ms } => wait_ms,
        // Somebody else's call has to end; nobody knows when.
        Barrier::Probing | Barrier::Full => 1_000,
    }
}

/// A way that would take the call, or none. `may_go` leaves out what was tried before.
pub(super) fn choose<'a>(
    tier: &'a Tier,
    needs: Needs,
    may_go: impl Fn(&Way) -> bool,
    randomness: &dyn Randomness,
) -> Option<&'a Way> {
    let is_open = |way: &&Way| {
        may_go(way) && barrier(way, needs.operation, needs.tokens, needs.now_ms).is_ok()
    };
    if let [only] = &tier.ways[..] {
        return is_open(&only).then_some(only);
    }
    if let Some(key) = needs.affinity
        && let Some(home) = home(tier, key, &is_open)
    {
        return Some(home);
    }
    let mut candidates = Candidates::default();
    if tier.ways.len() <= LOOKED_AT {
        candidates.extend(tier.ways.iter().filter(is_open), true);
    } else {
        let drawn = (0..LOOKED_AT).filter_map(|_| draw(tier, randomness));
        candidates.extend(drawn.filter(is_open).take(COMPARED), false);
        if candidates.is_empty() {
            candidates.extend(tier.ways.iter().filter(is_open), true);
        }
    }
    candidates.pick(needs.now_ms, randomness)
}

/// The share of each of these ways: weight, biased by latency and load.
pub(super) fn shares(ways: &[&Way], now_ms: i64) -> Vec<f64> {
    let biased = biased(ways, true, now_ms);
    let sum: f64 = biased.iter().sum();
    biased.into_iter().map(|weight| weight / sum).collect()
}

/// The ways that a choice is made from.
#[derive(Default)]
struct Candidates<'a> {
    ways: Vec<&'a Way>,
    /// Whether weights still count; they do not where they decided who was drawn.
    by_weight: bool,
}

impl<'a> Candidates<'a> {
    fn extend(&mut self, ways: impl Iterator<Item = &'a Way>, by_weight: bool) {
        self.ways.extend(ways);
        self.by_weight = by_weight;
    }

    fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    fn pick(self, now_ms: i64, randomness: &dyn Randomness) -> Option<&'a Way> {
        if self.ways.len() < 2 {
            return self.ways.first().copied();
        }
        let weights = biased(&self.ways, self.by_weight, now_ms);
        let mut point = fraction(randomness) * weights.iter().sum::<f64>();
        for (way, weight) in self.ways.iter().zip(weights) {
            point -= weight;
            if point < 0.0 {
                return Some(way);
            }
        }
        self.ways.last().copied()
    }
}

/// Weights with the bias: half as much for twice the latency, and for twice the load.
fn biased(ways: &[&Way], by_weight: bool, now_ms: i64) -> Vec<f64> {
    let latencies = ways
        .iter()
        .filter_map(|way| way.channel.health.latency.milliseconds());
    let best = latencies.fold(f64::INFINITY, f64::min);
    let mean = mean_weight(ways);
    let load = |way: &Way| load(way, mean);
    let least_loaded = ways
        .iter()
        .map(|way| load(way))
        .fold(f64::INFINITY, f64::min);
    let one = |way: &&Way| {
        let slowness = way.channel.health.latency.slowness(best, now_ms);
        let loadedness = (1.0 + load(way)) / (1.0 + least_loaded);
        let bias = (1.0 / (slowness * loadedness)).max(LEAST_BIAS);
        let weight = if by_weight { weight(way) } else { 1.0 };
        weight * bias
    };
    ways.iter().map(one).collect()
}

/// Calls under way in proportion to the weight, so that the weights themselves make no bias.
fn load(way: &Way, mean_weight: f64) -> f64 {
    f64::from(way.channel.health.gate.in_flight()) * mean_weight / weight(way)
}

fn mean_weight(ways: &[&Way]) -> f64 {
    let count = u32::try_from(ways.len()).unwrap_or(u32::MAX).max(1);
    ways.iter().map(|way| weight(way)).sum::<f64>() / f64::from(count)
}

/// A weight of 0 means: only where nothing else is left.
fn weight(way: &Way) -> f64 {
    f64::from(way.channel.weight).max(1e-6)
}

/// One way, drawn by weight.
fn draw<'a>(tier: &'a Tier, randomness: &dyn Randomness) -> Option<&'a Way> {
    drawn_by(tier, number(randomness))
}

/// The way that this number draws.
fn drawn_by(tier: &Tier, number: u64) -> Option<&Way> {
    let total = tier.weights.last().copied().filter(|total| *total > 0)?;
    let index = tier.weights.partition_point(|sum| *sum <= number % total);
    tier.ways.get(index)
}

/// The channel where a conversation belongs: the highest of all open ones by a hash of both, in
/// proportion to weights (rendezvous hashing). None where it has failed of late or has more to do
/// than the others. Of a large tier the conversation itself draws whom to look at, by weight.
fn home<'a>(tier: &'a Tier, key: u64, is_open: &impl Fn(&&Way) -> bool) -> Option<&'a Way> {
    let is_large = tier.ways.len() > LOOKED_AT;
    let mut open: Vec<&Way> = if is_large {
        let turns = (0..LOOKED_AT).map(|turn| hash((key, turn)));
        let drawn = turns.filter_map(|number| drawn_by(tier, number));
        drawn.filter(is_open).take(COMPARED).collect()
    } else {
        tier.ways.iter().filter(is_open).collect()
    };
    open.sort_unstable_by_key(|way| way.channel.id);
    open.dedup_by_key(|way| way.channel.id);
    let score = |way: &Way| {
        let share = if is_large { 1.0 } else { weight(way) };
        -share / unit(hash((key, way.channel.id.0))).ln()
    };
    let scored = open.iter().map(|way| (score(way), *way));
    let (_, best) = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    let gate = &best.channel.health.gate;
    let mean = mean_weight(&open);
    let others = open.iter().map(|way| load(way, mean)).sum::<f64>() - load(best, mean);
    let count = u32::try_from(open.len() - 1).unwrap_or(u32::MAX).max(1);
    let usual = others / f64::from(count);
    let own = load(best, mean);
    let is_loaded = open.len() > 1 && own > usual * LOADED && own - usual > LOADED_BY;
    let limit = best.channel.limits.concurrency;
    let is_nearly_full = limit.is_some_and(|most| gate.in_flight() > most - most.div_ceil(5));
    (gate.breaker.is_steady() && !is_loaded && !is_nearly_full).then_some(best)
}

/// The same number for the same things, in every process.
pub(super) fn hash(things: impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(things)
}

fn fraction(randomness: &dyn Randomness) -> f64 {
    unit(number(randomness))
}

fn number(randomness: &dyn Randomness) -> u64 {
    let mut bytes = [0; 8];
    randomness.fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

/// The upper bits as a number between 0 and 1, never either.
fn unit(number: u64) -> f64 {
    let upper = u32::try_from(number >> 32).unwrap_or(u32::MAX);
    (f64::from(upper) + 0.5) / 4_294_967_296.0
}

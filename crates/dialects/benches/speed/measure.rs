//! How long something takes and how often it allocates. The least of many samples is taken: on a
//! machine that does other things too, the least disturbed one is the nearest to the truth.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// What one operation costs.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub nanoseconds: f64,
    pub allocations: f64,
}

impl Cost {
    /// What each of so many things in the operation costs.
    pub fn per(self, count: usize) -> Self {
        let count = to_f64(count);
        Self {
            nanoseconds: self.nanoseconds / count,
            allocations: self.allocations / count,
        }
    }

    /// What this costs more than something smaller.
    pub fn beyond(self, smaller: Self) -> Self {
        Self {
            nanoseconds: self.nanoseconds - smaller.nanoseconds,
            allocations: self.allocations - smaller.allocations,
        }
    }
}

/// Runs an operation until its cost is known.
pub fn cost<T>(mut run: impl FnMut() -> T) -> Cost {
    const SAMPLES: usize = 100;
    const SAMPLE_TIME: Duration = Duration::from_millis(1);
    let mut least = f64::INFINITY;
    let mut runs: u32 = 1;
    let mut taken = 0;
    while taken < SAMPLES {
        let begin = Instant::now();
        for _ in 0..runs {
            black_box(run());
        }
        let took = begin.elapsed();
        if took < SAMPLE_TIME && runs < 1 << 20 {
            runs *= 2;
            continue;
        }
        least = least.min(took.as_secs_f64() * 1e9 / f64::from(runs));
        taken += 1;
    }
    let counted = allocation_counter::measure(|| drop(black_box(run())));
    Cost {
        nanoseconds: least,
        allocations: to_f64(counted.count_total.try_into().unwrap_or(usize::MAX)),
    }
}

/// Counts here are far below where floats lose precision.
pub fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

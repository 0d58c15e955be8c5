//! The growth of a cost: how much longer an operation takes on an input of sixteen times the size.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// An exponent above this means that the cost grows faster than the input.
pub const MAX_EXPONENT: f64 = 1.15;
/// Sizes of the inputs, as multiples of the smallest.
pub const FACTORS: [usize; 3] = [1, 4, 16];

/// Cost of one operation on inputs of three sizes, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Growth([f64; 3]);

impl Growth {
    /// Measures an operation on these inputs. A suspicious result is measured again: only a cost that
    /// stays high is one of the operation and not of the machine.
    pub fn measure<T>(inputs: &[T; 3], mut run: impl FnMut(&T)) -> Self {
        const ATTEMPTS: usize = 4;
        let mut growth = Self([f64::INFINITY; 3]);
        for _ in 0..ATTEMPTS {
            for (least, input) in growth.0.iter_mut().zip(inputs) {
                *least = least.min(least_of_several(|| run(input)));
            }
            if growth.exponent() <= MAX_EXPONENT {
                break;
            }
        }
        growth
    }

    /// Returns the exponent: 1 for a cost that grows like its input, 2 for a quadratic one.
    pub fn exponent(self) -> f64 {
        let [least, _, most] = self.0;
        (most / least).ln() / 16_f64.ln()
    }

    /// Returns the costs in microseconds.
    pub fn microseconds(self) -> [f64; 3] {
        self.0.map(|seconds| seconds * 1e6)
    }
}

/// Returns the least time of several runs, in seconds.
fn least_of_several(mut run: impl FnMut()) -> f64 {
    const MIN_RUNS: usize = 3;
    const MIN_TIME: Duration = Duration::from_millis(3);
    let start = Instant::now();
    let mut least = f64::INFINITY;
    let mut runs = 0;
    while runs < MIN_RUNS || start.elapsed() < MIN_TIME {
        let before = Instant::now();
        black_box(&mut run)();
        least = least.min(before.elapsed().as_secs_f64());
        runs += 1;
    }
    least
}

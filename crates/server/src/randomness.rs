//! The source of randomness that is passed to whatever needs one, so that tests can repeat
//! themselves. Only this file may ask the system.

use std::sync::Mutex;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// A source of unpredictable bytes.
pub trait Randomness: Send + Sync {
    /// Fills the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// The generator of the current thread, seeded by the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the source that is passed in elsewhere"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        rand::rng().fill_bytes(buffer);
    }
}

/// A source that gives the same bytes for the same seed; for tests.
#[derive(Debug)]
pub struct SeededRandomness(Mutex<StdRng>);

impl SeededRandomness {
    /// A source that begins at a seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }
}

impl Randomness for SeededRandomness {
    fn fill(&self, buffer: &mut [u8]) {
        let mut generator = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        generator.fill_bytes(buffer);
    }
}

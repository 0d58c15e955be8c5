//! Bits in a row, the highest first.

/// Gathers bits.
#[derive(Default)]
pub(super) struct Bits {
    out: Vec<u8>,
    count: usize,
}

impl Bits {
    /// Adds the lowest `count` bits of a value.
    pub(super) fn put(&mut self, value: u32, count: u32) {
        for place in (0..count).rev() {
            if self.count.is_multiple_of(8) {
                self.out.push(0);
            }
            let bit = u8::from(value >> place & 1 == 1);
            if let Some(last) = self.out.last_mut() {
                *last |= bit << (7 - self.count % 8);
            }
            self.count += 1;
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// All of them, in whole bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }
}

//! The budget: bytes are reserved before they are held, and released when the guard that reserved them is dropped.
//! Bodies of some KiB are not counted: the number of connections bounds them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use store::UserId;

use super::available::available_memory;

/// What is available if the system does not tell.
const UNKNOWN_MEMORY: usize = 4 << 30;
/// A larger reservation leaves an eighth of the budget free, so that smaller bodies are still taken when large ones are
/// rejected.
const LARGE_BYTES: usize = 256 * 1024;

/// The memory of all request bodies in flight.
#[derive(Debug)]
pub struct BodyMemory {
    default_limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    by_user: HashMap<UserId, usize>,
    rejected: u64,
}

/// A reservation was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyMemoryError {
    /// Too much is reserved at the moment.
    #[error("the memory for request bodies is in use")]
    Exhausted,
    /// So much can never be reserved.
    #[error("the request body needs more memory than is available for one user")]
    TooLarge,
}

impl Default for BodyMemory {
    fn default() -> Self {
        Self {
            default_limit: available_memory().unwrap_or(UNKNOWN_MEMORY) / 4,
            state: Mutex::default(),
        }
    }
}

impl BodyMemory {
    /// Returns the budget in bytes for what is configured; 0 is a quarter of the memory available to the process.
    pub fn limit(&self, configured: usize) -> usize {
        if configured == 0 {
            self.default_limit
        } else {
            configured
        }
    }

    /// Returns a guard that has reserved nothing yet, for a user or for requests without one.
    pub fn guard(self: &Arc<Self>, user: Option<UserId>, configured: usize) -> MemoryGuard {
        MemoryGuard {
            memory: Arc::clone(self),
            limit: self.limit(configured),
            user,
            bytes: 0,
        }
    }

    /// Returns how many bytes are reserved.
    pub fn used(&self) -> usize {
        self.state.lock().used
    }

    /// Returns how many reservations were rejected.
    pub fn rejected(&self) -> u64 {
        self.state.lock().rejected
    }
}

/// A reservation. Dropping it releases the bytes.
#[derive(Debug)]
pub struct MemoryGuard {
    memory: Arc<BodyMemory>,
    limit: usize,
    user: Option<UserId>,
    bytes: usize,
}

impl MemoryGuard {
    /// Reserves more. One user gets at most three quarters of the budget.
    pub fn grow(&mut self, bytes: usize) -> Result<(), BodyMemoryError> {
        let mut state = self.memory.state.lock();
        if let Err(error) = self.check(&state, bytes) {
            state.rejected += 1;
            return Err(error);
        }
        state.used += bytes;
        if let Some(user) = self.user {
            *state.by_user.entry(user).or_default() += bytes;
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Checks whether this much more could be reserved now, without reserving it.
    pub fn check_room(&self, bytes: usize) -> Result<(), BodyMemoryError> {
        let mut state = self.memory.state.lock();
        let checked = self.check(&state, bytes);
        state.rejected += u64::from(checked.is_err());
        checked
    }

    /// Checks whether one user could ever reserve this much.
    pub fn check_possible(&self, bytes: usize) -> Result<(), BodyMemoryError> {
        if bytes > self.user_share() {
            return Err(BodyMemoryError::TooLarge);
        }
        Ok(())
    }

    fn user_share(&self) -> usize {
        self.limit - self.limit / 4
    }

    /// Releases everything beyond this many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let released = self.bytes.saturating_sub(bytes);
        self.bytes -= released;
        self.memory.release(self.user, released);
    }

    /// Returns the same bytes, which keep the reservation until their last copy is dropped.
    pub fn into_bytes(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(ReservedBytes {
            bytes,
            _guard: self,
        })
    }

    fn check(&self, state: &State, bytes: usize) -> Result<(), BodyMemoryError> {
        let of_guard = self.bytes.saturating_add(bytes);
        self.check_possible(of_guard)?;
        let ceiling = if of_guard > LARGE_BYTES {
            self.limit - self.limit / 8
        } else {
            self.limit
        };
        let user = self.user.and_then(|user| state.by_user.get(&user));
        let has_share = user.copied().unwrap_or(0) + bytes <= self.user_share();
        if state.used + bytes > ceiling || !has_share {
            return Err(BodyMemoryError::Exhausted);
        }
        Ok(())
    }
}

impl BodyMemory {
    fn release(&self, user: Option<UserId>, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let mut state = self.state.lock();
        state.used -= bytes;
        if let Some(user) = user
            && let Some(of_user) = state.by_user.get_mut(&user)
        {
            *of_user -= bytes;
            if *of_user == 0 {
                state.by_user.remove(&user);
            }
        }
    }
}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        self.memory.release(self.user, self.bytes);
    }
}

/// Bytes with their reservation.
struct ReservedBytes {
    bytes: Bytes,
    _guard: MemoryGuard,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn guard(memory: &Arc<BodyMemory>, user: i64) -> MemoryGuard {
        memory.guard(Some(UserId(user)), 16 * MIB)
    }

    #[test]
    fn large_reservations_leave_room_and_users_leave_a_share() {
        let memory = Arc::new(BodyMemory::default());
        let mut first = guard(&memory, 1);
        assert_eq!(first.grow(13 * MIB), Err(BodyMemoryError::TooLarge));
        first.grow(12 * MIB).unwrap();
        let mut more = guard(&memory, 1);
        assert_eq!(more.grow(1), Err(BodyMemoryError::Exhausted));
        let mut second = guard(&memory, 2);
        assert_eq!(second.grow(3 * MIB), Err(BodyMemoryError::Exhausted));
        assert_eq!(second.check_room(2 * MIB), Ok(()));
        second.grow(2 * MIB).unwrap();
        let mut small: Vec<_> = (0..8).map(|_| guard(&memory, 3)).collect();
        for guard in &mut small {
            guard.grow(LARGE_BYTES).unwrap();
        }
        assert_eq!(memory.used(), 16 * MIB);
        assert_eq!(guard(&memory, 4).grow(1), Err(BodyMemoryError::Exhausted));
        assert_eq!(memory.rejected(), 4);
    }

    #[test]
    fn bytes_are_released_with_their_last_copy() {
        let memory = Arc::new(BodyMemory::default());
        let mut reserved = guard(&memory, 1);
        reserved.grow(100).unwrap();
        reserved.shrink_to(3);
        assert_eq!(memory.used(), 3);
        let bytes = reserved.into_bytes(Bytes::from_static(b"abc"));
        let part = bytes.slice(1..);
        drop(bytes);
        assert_eq!((part.as_ref(), memory.used()), (b"bc".as_ref(), 3));
        drop(part);
        assert_eq!(memory.used(), 0);
        assert!(memory.state.lock().by_user.is_empty());
    }
}

//! The time: what it is, and how it stands still while a connection has its turn. Only this folder may ask the system.

mod system;
mod turn;

pub use self::system::{Clock, SystemClock};
pub use self::turn::{InTurns, instant, since};

//! Work that no request asks for.

mod answers;
mod balances;
mod channels;
mod notices;
mod orders;
mod prices;
mod running;
mod settings;
mod sums;
mod turn;
mod upkeep;
mod wallets;
mod watch;

#[cfg(test)]
mod notices_tests;

pub use answers::keep_answers;
pub use balances::look_at_balances;
pub use channels::keep_channels;
pub use notices::{announce, heed, heed_notices};
pub use orders::look_after_orders;
pub use prices::keep_prices;
pub use running::share_running;
pub use settings::keep_settings;
pub use sums::keep_sums;
pub use upkeep::keep_up;
pub use wallets::keep_wallets;
pub use watch::{tell_people, watch_over};

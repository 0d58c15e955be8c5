//! Prices and charges: pure functions of a sheet, a multiplier and a usage. No clock, no records,
//! no floating point; every step is checked integer arithmetic.

mod amount;
mod bounds;
mod charge;
mod decimal;
mod multiplier;
mod percent;
mod rate;
mod sheet;
mod units;

pub use amount::{
    Exact, NANOS_A_QUOTA_UNIT, format_dollars, nanos_of_quota, parse_dollars, quota_of_nanos,
};
pub use bounds::{Bounds, affordable_output, worst_case};
pub use charge::{Charge, Line, charge, set_not_covered};
pub use decimal::DecimalError;
pub use multiplier::Multiplier;
pub use percent::percent_between;
pub use rate::Rate;
pub use sheet::{ImagePrice, PriceSheet, Tier, TokenRates};
pub use units::{Images, OtherUnits, TokenKind, TokenKinds, Tokens, Usage};

/// Why a usage cannot be priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PricingError {
    /// The sheet has no price for anything that was used.
    #[error("the price sheet has no price for what was used")]
    Unpriced,
    /// The result is beyond what money can hold.
    #[error("the amount is out of range")]
    OutOfRange,
}

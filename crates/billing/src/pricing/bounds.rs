//! Before a call: what it may cost at most, and how much output a balance affords.

use super::PricingError;
use super::amount::Exact;
use super::charge::cost_of_other;
use super::multiplier::Multiplier;
use super::sheet::{PriceSheet, TokenRates};
use super::units::{OtherUnits, TokenKind, TokenKinds};

/// The most that a call can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Input tokens, counted.
    pub input: u64,
    /// Output tokens, allowed.
    pub output: u64,
    /// Which kinds of token these may turn out to be.
    pub kinds: TokenKinds,
    /// The most of everything else, hosted tools included.
    pub other: OtherUnits,
}

/// What a call within these bounds costs at most: no usage within them is charged more.
pub fn worst_case(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    bounds: &Bounds,
) -> Result<i64, PricingError> {
    let mut worst = Exact::ZERO;
    for prices in prices(sheet, multiplier, bounds)? {
        let output = prices.output.times(bounds.output)?;
        worst = worst.max(prices.before_output.plus(output)?);
    }
    worst.nanos_rounded_up()
}

/// How many output tokens fit into `balance_nanos` beside everything else in the bounds, whose
/// own `output` does not count here; none where the balance does not even cover the rest.
pub fn affordable_output(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    bounds: &Bounds,
    balance_nanos: i64,
) -> Result<Option<u64>, PricingError> {
    let balance = Exact::of_nanos(balance_nanos);
    let mut most = u64::MAX;
    for prices in prices(sheet, multiplier, bounds)? {
        if prices.before_output > balance {
            return Ok(None);
        }
        let rest = balance.minus(prices.before_output)?;
        most = most.min(rest.divided_by(prices.output));
    }
    Ok(Some(most))
}

/// What holds in one tier.
struct Prices {
    /// Everything but output.
    before_output: Exact,
    /// One output token.
    output: Exact,
}

/// The prices of every tier that the input may reach, each at its dearest kind of token.
fn prices(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    bounds: &Bounds,
) -> Result<Vec<Prices>, PricingError> {
    let other = cost_of_other(sheet, multiplier, &bounds.other)?;
    let mut found = Vec::with_capacity(1 + sheet.tiers.len());
    let mut is_priced = other.is_some();
    for rates in sheet.rates_up_to(bounds.input) {
        let input = dearest(rates, multiplier, bounds.kinds, TokenKind::INPUT);
        let output = dearest(rates, multiplier, bounds.kinds, TokenKind::OUTPUT);
        is_priced |= input.is_some() || output.is_some();
        let input = input.unwrap_or(Exact::ZERO).times(bounds.input)?;
        found.push(Prices {
            before_output: input.plus(other.unwrap_or(Exact::ZERO))?,
            output: output.unwrap_or(Exact::ZERO),
        });
    }
    if is_priced {
        Ok(found)
    } else {
        Err(PricingError::Unpriced)
    }
}

fn dearest(
    rates: TokenRates<'_>,
    multiplier: Multiplier,
    possible: TokenKinds,
    kinds: &[TokenKind],
) -> Option<Exact> {
    let prices = kinds.iter().filter(|kind| possible.has(**kind));
    prices
        .filter_map(|kind| rates.of(*kind))
        .map(|(_, rate)| rate.times(multiplier))
        .max()
}

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
    for_each_tier(sheet, multiplier, bounds, |prices| {
        let output = prices.output.times(bounds.output)?;
        worst = worst.max(prices.before_output.plus(output)?);
        Ok(())
    })?;
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
    let mut most = Some(u64::MAX);
    for_each_tier(sheet, multiplier, bounds, |prices| {
        let affords = if prices.before_output > balance {
            None
        } else {
            let rest = balance.minus(prices.before_output)?;
            Some(rest.divided_by(prices.output))
        };
        // None is the least of all.
        most = most.min(affords);
        Ok(())
    })?;
    Ok(most)
}

/// What holds in one tier.
struct Prices {
    /// Everything but output.
    before_output: Exact,
    /// One output token.
    output: Exact,
}

/// Looks at the prices of every tier that the input may reach, each at its dearest kind of token.
fn for_each_tier(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    bounds: &Bounds,
    mut look: impl FnMut(Prices) -> Result<(), PricingError>,
) -> Result<(), PricingError> {
    let other = cost_of_other(sheet, multiplier, &bounds.other)?;
    let mut is_priced = other.is_some();
    for rates in sheet.rates_up_to(bounds.input) {
        let input = dearest(rates, multiplier, bounds.kinds, TokenKind::INPUT);
        let output = dearest(rates, multiplier, bounds.kinds, TokenKind::OUTPUT);
        is_priced |= input.is_some() || output.is_some();
        let input = input.unwrap_or(Exact::ZERO).times(bounds.input)?;
        look(Prices {
            before_output: input.plus(other.unwrap_or(Exact::ZERO))?,
            output: output.unwrap_or(Exact::ZERO),
        })?;
    }
    if is_priced {
        Ok(())
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

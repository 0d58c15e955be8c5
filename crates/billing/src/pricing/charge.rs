//! From a usage to what it costs, line by line.

use std::borrow::Cow;

use store::request_log::PriceLine;

use super::PricingError;
use super::amount::Exact;
use super::multiplier::Multiplier;
use super::rate::Rate;
use super::sheet::PriceSheet;
use super::units::{Images, OtherUnits, TokenKind, Tokens, Usage};

/// What a call costs. The amounts of the lines sum exactly to the total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// What is paid for. Where the sum of the other lines has a part of a nano-dollar, the last
    /// line is `rounding`.
    pub lines: Vec<Line>,
    /// What is paid, in nano-dollars.
    pub total_nanos: i64,
}

/// One line of a charge: units times price is the amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is paid for: a token kind's name, `call`, `image`, `second`, `character`,
    /// `search_unit`, `tool:<name>`, `rounding` or `not_covered`.
    pub kind: Cow<'static, str>,
    /// How many units.
    pub units: u64,
    /// The price of one unit, the group's multiplier included.
    pub price: Exact,
    /// What the line adds.
    pub amount: Exact,
}

/// Room for the lines of most calls: what was asked, read from the cache and said, and the rounding.
const USUAL_LINES: usize = 4;

/// What a usage costs. Amounts stay exact to the end; their sum is rounded up once.
pub fn charge(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    usage: &Usage,
) -> Result<Charge, PricingError> {
    let mut lines = Lines {
        priced: Vec::with_capacity(USUAL_LINES),
        ..Lines::new(multiplier)
    };
    lines.add_tokens(sheet, &usage.tokens)?;
    lines.add_other(sheet, &usage.other, PriceSheet::image_rate)?;
    if lines.priced.is_empty() && lines.has_unpriced {
        return Err(PricingError::Unpriced);
    }
    lines.into_charge()
}

/// What units that are no tokens cost at most, before rounding; none where nothing of it has a price.
pub(super) fn cost_of_other(
    sheet: &PriceSheet,
    multiplier: Multiplier,
    other: &OtherUnits,
) -> Result<Option<Exact>, PricingError> {
    let mut lines = Lines::new(multiplier);
    lines.add_other(sheet, other, PriceSheet::dearest_image_rate)?;
    if lines.priced.is_empty() {
        return Ok(None);
    }
    lines.sum().map(Some)
}

impl Charge {
    /// Lowers the charge to `most_nanos`; the line `not_covered` says by how much. For the rare
    /// usage that went beyond its reservation when there was nothing left to take it from.
    #[must_use]
    pub fn at_most(mut self, most_nanos: i64) -> Self {
        let over = self.total_nanos.saturating_sub(most_nanos);
        if over > 0 {
            let less = Exact::of_nanos(-over);
            self.lines.push(adjustment("not_covered", less));
            self.total_nanos = most_nanos;
        }
        self
    }

    /// The lines as the request log keeps them.
    pub fn logged_lines(&self) -> Vec<PriceLine> {
        self.lines.iter().map(Line::logged).collect()
    }
}

impl Line {
    fn logged(&self) -> PriceLine {
        PriceLine {
            kind: self.kind.clone(),
            units: i64::try_from(self.units).unwrap_or(i64::MAX),
            price_usd: self.price.text(),
            amount_usd: self.amount.text(),
        }
    }
}

/// Replaces the line `not_covered` of a charge as the log keeps it: so much is not paid.
pub fn set_not_covered(lines: &mut Vec<PriceLine>, nanos: i64) {
    lines.retain(|line| line.kind != "not_covered");
    if nanos > 0 {
        lines.push(adjustment("not_covered", Exact::of_nanos(-nanos)).logged());
    }
}

struct Lines {
    multiplier: Multiplier,
    priced: Vec<Line>,
    has_unpriced: bool,
}

impl Lines {
    fn new(multiplier: Multiplier) -> Self {
        Self {
            multiplier,
            priced: Vec::new(),
            has_unpriced: false,
        }
    }

    /// Tokens of a kind without a price of its own go to the line of the kind that prices them.
    fn add_tokens(&mut self, sheet: &PriceSheet, tokens: &Tokens) -> Result<(), PricingError> {
        let rates = sheet.rates_for(tokens.whole_input());
        let mut sums = TokenKind::ALL.map(|kind| (kind, 0_u64, Rate::default()));
        for (kind, units) in tokens.split() {
            // Most calls use two or three of the kinds.
            if units == 0 {
                continue;
            }
            let Some((own, rate)) = rates.of(kind) else {
                self.has_unpriced = true;
                continue;
            };
            let (_, sum, price) = &mut sums[own.position()];
            *sum = sum.checked_add(units).ok_or(PricingError::OutOfRange)?;
            *price = rate;
        }
        for (kind, units, rate) in sums {
            self.add(Cow::Borrowed(kind.name()), units, Some(rate))?;
        }
        Ok(())
    }

    fn add_other(
        &mut self,
        sheet: &PriceSheet,
        other: &OtherUnits,
        image_rate: fn(&PriceSheet, &Images) -> Option<Rate>,
    ) -> Result<(), PricingError> {
        self.add_if_priced("call", other.calls, sheet.per_call)?;
        for images in &other.images {
            let rate = image_rate(sheet, images);
            self.add(Cow::Borrowed("image"), images.count, rate)?;
        }
        self.add(Cow::Borrowed("second"), other.seconds, sheet.per_second)?;
        let characters = other.characters;
        self.add(Cow::Borrowed("character"), characters, sheet.per_character)?;
        let search_units = other.search_units;
        self.add(
            Cow::Borrowed("search_unit"),
            search_units,
            sheet.per_search_unit,
        )?;
        for (name, calls) in &other.hosted_tools {
            let rate = sheet.hosted_tools.get(name).copied();
            self.add_if_priced(&format!("tool:{name}"), *calls, rate)?;
        }
        Ok(())
    }

    /// For surcharges: without a price there is nothing to pay.
    fn add_if_priced(
        &mut self,
        kind: &str,
        units: u64,
        rate: Option<Rate>,
    ) -> Result<(), PricingError> {
        match rate {
            Some(_) => self.add(Cow::Owned(kind.to_owned()), units, rate),
            None => Ok(()),
        }
    }

    fn add(
        &mut self,
        kind: Cow<'static, str>,
        units: u64,
        rate: Option<Rate>,
    ) -> Result<(), PricingError> {
        if units == 0 {
            return Ok(());
        }
        let Some(rate) = rate else {
            self.has_unpriced = true;
            return Ok(());
        };
        let price = rate.times(self.multiplier);
        let amount = price.times(units)?;
        self.priced.push(Line {
            kind,
            units,
            price,
            amount,
        });
        Ok(())
    }

    fn sum(&self) -> Result<Exact, PricingError> {
        let mut amounts = self.priced.iter().map(|line| line.amount);
        amounts.try_fold(Exact::ZERO, Exact::plus)
    }

    fn into_charge(mut self) -> Result<Charge, PricingError> {
        let sum = self.sum()?;
        let total_nanos = sum.nanos_rounded_up()?;
        let rounding = Exact::of_nanos(total_nanos).minus(sum)?;
        if rounding != Exact::ZERO {
            self.priced.push(adjustment("rounding", rounding));
        }
        Ok(Charge {
            lines: self.priced,
            total_nanos,
        })
    }
}

fn adjustment(kind: &'static str, amount: Exact) -> Line {
    Line {
        kind: Cow::Borrowed(kind),
        units: 1,
        price: amount,
        amount,
    }
}

#[cfg(test)]
#[path = "charge_tests.rs"]
mod tests;

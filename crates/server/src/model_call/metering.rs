//! From what an answer told, and what we counted ourselves, to what is charged for. Which of both
//! matters depends on what the model is priced in.

use billing::pricing::{Images, OtherUnits, PriceSheet, Usage};
use dialects::canonical;
use dialects::units::Units;

use super::task::{Addressee, Used};

/// What a model is priced in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Basis {
    tokens: bool,
    seconds: bool,
    search_units: bool,
}

impl Basis {
    /// What the asked model is priced in at this place.
    pub fn of(model: &str, to: &Addressee<'_>) -> Self {
        let now = to.app.clock().now_ms();
        let upstream = Some(&*to.place.upstream_model);
        let priced = to.app.prices().book().find(model, upstream, now);
        priced.map_or_else(Self::default, |priced| Self::of_sheet(&priced.sheet))
    }

    /// Whether tokens have a price.
    pub fn is_in_tokens(self) -> bool {
        self.tokens
    }

    /// What a sheet has prices for.
    pub fn of_sheet(sheet: &PriceSheet) -> Self {
        let tokens = [
            sheet.input,
            sheet.output,
            sheet.audio_input,
            sheet.audio_output,
            sheet.image_input,
            sheet.image_output,
        ];
        Self {
            tokens: tokens.iter().any(Option::is_some),
            seconds: sheet.per_second.is_some(),
            search_units: sheet.per_search_unit.is_some(),
        }
    }
}

/// What an answer used: what the upstream told, and in its place what was counted here. It is an
/// estimate where something that has a price was not told.
pub fn used(told: &Units, counted: &Units, basis: Basis) -> Used {
    let is_silent = told.tokens.input.is_none() && told.tokens.output.is_none();
    let tokens = if is_silent {
        &counted.tokens
    } else {
        &told.tokens
    };
    let is_ours = |told: Option<u64>, counted: Option<u64>| told.is_none() && counted.is_some();
    let is_estimated = (basis.tokens && is_silent && *tokens != canonical::Usage::default())
        || (basis.seconds && is_ours(told.milliseconds, counted.milliseconds))
        || (basis.search_units && is_ours(told.search_units, counted.search_units));
    let either = |told: Option<u64>, counted: Option<u64>| told.or(counted).unwrap_or(0);
    let mut usage = Usage::from(tokens);
    usage.other = OtherUnits {
        calls: 1,
        images: Vec::new(),
        seconds: either(told.milliseconds, counted.milliseconds).div_ceil(1000),
        characters: either(told.characters, counted.characters),
        search_units: either(told.search_units, counted.search_units),
        hosted_tools: usage.other.hosted_tools,
    };
    Used {
        usage,
        is_estimated,
        is_billable: true,
    }
}

/// The same with images of this size and quality.
pub fn with_images(mut used: Used, images: Images) -> Used {
    if images.count > 0 {
        used.usage.other.images = vec![images];
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_counts_and_what_is_counted_is_marked_where_it_is_priced() {
        let rate = billing::pricing::Rate::of_nanos_per_million(1);
        let told = Units::of_input(Some(7));
        let counted = Units {
            milliseconds: Some(1500),
            ..Units::of_input(Some(99))
        };
        let by_tokens = Basis::of_sheet(&PriceSheet {
            input: rate,
            ..PriceSheet::default()
        });
        let found = used(&told, &counted, by_tokens);
        assert_eq!(found.usage.tokens.input, 7);
        assert_eq!(found.usage.other.seconds, 2);
        assert!(!found.is_estimated);
        let by_seconds = Basis::of_sheet(&PriceSheet {
            per_second: rate,
            ..PriceSheet::default()
        });
        assert!(used(&told, &counted, by_seconds).is_estimated);
        assert!(used(&Units::default(), &counted, by_tokens).is_estimated);
    }
}

//! How the prices that somebody offers differ from those in effect, price by price.

use super::components::components_of;
use crate::pricing::{PriceSheet, percent_between};

/// What kind of difference it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Offered, and not there.
    New,
    /// Another price.
    Changed,
    /// There, and not offered.
    Removed,
}

/// One price that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name, as [`super::components_of`] gives it.
    pub component: String,
    /// What counts now.
    pub present: Option<String>,
    /// What is offered in its place.
    pub offered: Option<String>,
}

impl Difference {
    /// What kind it is.
    pub fn kind(&self) -> DifferenceKind {
        match (&self.present, &self.offered) {
            (None, _) => DifferenceKind::New,
            (Some(_), None) => DifferenceKind::Removed,
            (Some(_), Some(_)) => DifferenceKind::Changed,
        }
    }

    /// By how many percent the price changes; none where it appears or goes.
    pub fn change_percent(&self) -> Option<String> {
        percent_between(self.present.as_deref()?, self.offered.as_deref()?)
    }
}

/// What a comparison of two sheets finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The prices that differ: those offered in their order, then those that are gone.
    pub differences: Vec<Difference>,
    /// How many are the same.
    pub same: usize,
}

/// Compares what counts now with what is offered.
pub fn compare(present: Option<&PriceSheet>, offered: &PriceSheet) -> Comparison {
    let mut left = present.map(components_of).unwrap_or_default();
    let mut found = Comparison::default();
    for one in components_of(offered) {
        let place = left.iter().position(|has| has.name == one.name);
        let has = place.map(|place| left.remove(place).dollars);
        if has.as_ref() == Some(&one.dollars) {
            found.same += 1;
        } else {
            found.differences.push(Difference {
                component: one.name,
                present: has,
                offered: Some(one.dollars),
            });
        }
    }
    let gone = left.into_iter().map(|has| Difference {
        component: has.name,
        present: Some(has.dollars),
        offered: None,
    });
    found.differences.extend(gone);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sheets_are_compared_price_by_price() {
        let sheet = |value| PriceSheet::from_json(&value).unwrap();
        let present = sheet(json!({"input": "2.5", "output": "10", "per_call": "0.01"}));
        let offered = sheet(json!({"input": "2.50", "output": "8", "cache_read": "1"}));
        let found = compare(Some(&present), &offered);
        assert_eq!(found.same, 1);
        let seen: Vec<_> = found
            .differences
            .iter()
            .map(|one| (one.component.as_str(), one.kind(), one.change_percent()))
            .collect();
        let expected = [
            ("output", DifferenceKind::Changed, Some("-20".to_owned())),
            ("cache_read", DifferenceKind::New, None),
            ("per_call", DifferenceKind::Removed, None),
        ];
        assert_eq!(seen, expected);
        let unpriced = compare(None, &offered);
        assert_eq!((unpriced.differences.len(), unpriced.same), (3, 0));
    }
}

//! Charges of a vendor in addition to tokens: those that are bounded and priced are reserved, others need a group that
//! allows them.

use std::collections::BTreeMap;

use billing::pricing::PriceSheet;
use dialects::canonical::{Failure, FailureKind};
use dialects::demand::{Bound, Extra, ExtraCharges};
use dialects::generate_content::is_charged_by_answer;

/// The field that becomes a tool in other dialects.
const SEARCH_OPTIONS: &str = "web_search_options";

/// What the operator allows, and the prices.
pub struct ExtraRules<'a> {
    /// The prices of the model. None: it is free.
    pub sheet: Option<&'a PriceSheet>,
    /// The upstream's name of the model.
    pub upstream_model: Option<&'a str>,
    /// The caller's group may use hosted tools without a bound.
    pub is_open: bool,
    /// The uses to reserve where nothing bounds them.
    pub uses: u64,
    /// The input tokens to reserve for each use.
    pub tokens: u64,
}

/// What is reserved in addition to the call's own tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraReserved {
    /// Uses by the name of their price.
    pub uses: BTreeMap<String, u64>,
    /// Those of them that no answer tells of.
    pub untold: BTreeMap<String, u64>,
    /// Input tokens that hosted tools add.
    pub input: u64,
    /// The fewest uses that were reserved for one hosted tool.
    pub fewest: Option<u64>,
    /// An upstream must keep to a bound that the client or the vendor gave.
    pub is_bounded: bool,
}

impl ExtraReserved {
    /// Reserves these charges, or refuses the first one that may not be.
    pub fn of(charges: &ExtraCharges, rules: &ExtraRules<'_>) -> Result<Self, Failure> {
        let mut reserved = Self::default();
        for (extra, bound) in charges.iter() {
            let bound = rules.uses_of(bound);
            let uses = rules.allowed(extra, bound)?;
            if let Some(charge) = &extra.charge {
                reserved.count(charge, uses);
                if extra.is_untold() {
                    let sum = reserved.untold.entry(charge.clone()).or_default();
                    *sum = sum.saturating_add(uses);
                }
                reserved.is_bounded |= bound.is_some() && extra.is_tool;
            }
            if extra.adds_input {
                reserved.add_input(uses, rules);
            }
            if extra.is_tool || extra.name == SEARCH_OPTIONS {
                reserved.fewest = Some(reserved.fewest.unwrap_or(uses).min(uses));
            }
        }
        Ok(reserved)
    }

    /// Reserves uses of a tool that nothing in the body asks for.
    pub fn add(&mut self, charge: &str, uses: u64, rules: &ExtraRules<'_>) {
        self.count(charge, uses);
        self.add_input(uses, rules);
    }

    fn count(&mut self, charge: &str, uses: u64) {
        let sum = self.uses.entry(charge.to_owned()).or_default();
        *sum = sum.saturating_add(uses);
    }

    fn add_input(&mut self, uses: u64, rules: &ExtraRules<'_>) {
        let input = uses.saturating_mul(rules.tokens);
        self.input = self.input.saturating_add(input);
    }
}

impl ExtraRules<'_> {
    /// Returns the most uses, if there is a bound.
    fn uses_of(&self, bound: Bound) -> Option<u64> {
        match bound {
            Bound::Uses(uses) => Some(uses),
            Bound::OneByAnswer if self.upstream_model.is_some_and(is_charged_by_answer) => Some(1),
            Bound::OneByAnswer | Bound::Unlimited => None,
        }
    }

    /// Returns the uses to reserve.
    fn allowed(&self, extra: &Extra, bound: Option<u64>) -> Result<u64, Failure> {
        let Some(charge) = &extra.charge else {
            return Ok(bound.unwrap_or(self.uses));
        };
        // The operator allows free use of models without a price, and of their tools.
        let Some(sheet) = self.sheet else {
            return Ok(bound.unwrap_or(self.uses));
        };
        let name = &extra.name;
        if !sheet.hosted_tools.contains_key(charge) {
            let text = format!(
                "`{name}` cannot be used with this model: it has no price here (`{charge}`)."
            );
            return Err(refused(name, text));
        }
        match bound {
            Some(bound) => Ok(bound),
            None if self.is_open => Ok(self.uses),
            None => {
                let text = format!(
                    "`{name}` cannot be used by this group: nothing bounds what it costs. Limit its uses if it has such a \
                     field, or ask the operator to allow hosted tools."
                );
                Err(refused(name, text))
            }
        }
    }
}

fn refused(name: &str, text: String) -> Failure {
    Failure {
        param: Some(name.to_owned()),
        ..Failure::new(FailureKind::Forbidden, text)
    }
}

#[cfg(test)]
#[path = "extra_tests.rs"]
mod tests;

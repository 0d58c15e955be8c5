//! What the demo models cost, by the shipped catalogue: little, but never nothing, so that a charge
//! can be seen.

use billing::prices::Catalogue;
use billing::pricing::PriceSheet;

/// The price sheet of a demo model.
pub fn price(model: &str) -> Option<PriceSheet> {
    let sheet = Catalogue::shipped().get(model)?;
    Some(sheet.as_ref().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::MODELS;

    #[test]
    fn every_demo_model_has_a_price() {
        for model in MODELS {
            assert!(price(model).is_some(), "{model}");
        }
    }
}

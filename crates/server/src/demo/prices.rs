//! What the demo models cost: little, but never nothing, so that a charge can be seen.

use billing::pricing::{PriceSheet, Rate};

/// The price sheet of a demo model.
pub fn price(model: &str) -> Option<PriceSheet> {
    // Nano-dollars for a million tokens: 0.10 and 0.40 dollars, reasoning models at double.
    let (input, output) = match model {
        "demo-chat" => (100_000_000, 400_000_000),
        "demo-reasoning" => (200_000_000, 800_000_000),
        _ => return None,
    };
    Some(PriceSheet {
        input: Rate::of_nanos_per_million(input),
        output: Rate::of_nanos_per_million(output),
        ..PriceSheet::default()
    })
}

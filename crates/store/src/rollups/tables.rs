//! The tables of sums of calls: what their rows are told apart by, and how the log fills them.

use super::histogram::Histogram;
use super::measures::{HISTOGRAMS, columns};

/// A table of sums of calls.
pub(super) struct SumTable {
    /// Its name.
    pub name: &'static str,
    /// What its rows are told apart by, beside the time; each also as the log says it.
    keys: &'static [(&'static str, &'static str)],
    /// Whether it has every measure, or only those that calls are ranked by.
    has_all_measures: bool,
}

const USER: (&str, &str) = ("user_id", "user_id");
const TOKEN: (&str, &str) = ("token_id", "COALESCE(token_id, 0)");
const CHANNEL: (&str, &str) = ("channel_id", "COALESCE(channel_id, 0)");
const MODEL: (&str, &str) = ("model", "model");
const ENDPOINT: (&str, &str) = ("endpoint", "endpoint");

/// Sums by everything.
pub(super) const USAGE: SumTable = SumTable {
    name: "usage_rollups",
    keys: &[USER, TOKEN, CHANNEL, MODEL, ENDPOINT],
    has_all_measures: true,
};
/// Sums by what the service offers, whoever pays.
pub(super) const SERVICE: SumTable = SumTable {
    name: "service_rollups",
    keys: &[CHANNEL, MODEL, ENDPOINT],
    has_all_measures: true,
};
/// Sums by who pays.
pub(super) const PAYERS: SumTable = SumTable {
    name: "payer_rollups",
    keys: &[USER, TOKEN],
    has_all_measures: false,
};

impl SumTable {
    /// The columns that tell rows apart beside the time.
    pub fn keys(&self) -> String {
        let names: Vec<&str> = self.keys.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }

    /// The same, as the log says them.
    pub fn keys_of_log(&self) -> String {
        let values: Vec<&str> = self.keys.iter().map(|(_, value)| *value).collect();
        values.join(", ")
    }

    /// The places of time and keys among the selected columns, after the span.
    pub fn grouped(&self) -> String {
        let places = 2..self.keys.len() + 3;
        let places: Vec<String> = places.map(|place| place.to_string()).collect();
        places.join(", ")
    }

    /// The columns that are sums.
    pub fn measures(&self) -> Vec<String> {
        if self.has_all_measures {
            return columns();
        }
        ["requests", "errors", "charge_nanos"]
            .map(str::to_owned)
            .into()
    }

    /// The same, summed from the log.
    pub fn measures_of_log(&self) -> String {
        let counts = "COUNT(*), SUM(CASE WHEN status >= 400 THEN 1 ELSE 0 END)";
        if !self.has_all_measures {
            return format!("{counts}, SUM(charge_nanos)");
        }
        let histograms = HISTOGRAMS.map(Histogram::sums_sql).join(", ");
        format!(
            "{counts}, SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens),
            SUM(cache_write_tokens), SUM(reasoning_tokens), SUM(charge_nanos), {histograms}"
        )
    }
}

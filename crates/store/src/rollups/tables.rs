//! The tables of sums of calls: what their rows are told apart by, and what they sum.

use sea_orm::Value;

use super::gathered::Key;
use super::measures::{Measures, columns};
use super::query::{Dimension, Grain};

/// A table of sums of calls.
pub(super) struct SumTable {
    /// Its name.
    pub name: &'static str,
    /// What its rows are told apart by, beside the time.
    dimensions: &'static [Dimension],
    /// Whether it has every measure, or only those that calls are ranked by.
    has_all_measures: bool,
}

/// Sums by everything.
pub(super) const USAGE: SumTable = SumTable {
    name: "usage_rollups",
    dimensions: &[
        Dimension::User,
        Dimension::Token,
        Dimension::Channel,
        Dimension::Model,
        Dimension::Endpoint,
    ],
    has_all_measures: true,
};
/// Sums by what the service offers, whoever pays.
pub(super) const SERVICE: SumTable = SumTable {
    name: "service_rollups",
    dimensions: &[Dimension::Channel, Dimension::Model, Dimension::Endpoint],
    has_all_measures: true,
};
/// Sums of everything.
pub(super) const TOTALS: SumTable = SumTable {
    name: "total_rollups",
    dimensions: &[],
    has_all_measures: true,
};
/// Sums by who pays.
pub(super) const PAYERS: SumTable = SumTable {
    name: "payer_rollups",
    dimensions: &[Dimension::User, Dimension::Token],
    has_all_measures: false,
};

impl SumTable {
    /// How finely it cuts time. Tables by who pays leave out what is not stored for payers.
    pub fn grains(&self) -> impl Iterator<Item = Grain> {
        let is_of_payers = self.dimensions.iter().any(|one| one.is_of_payers());
        let grains = Grain::ALL.into_iter();
        grains.filter(move |grain| !is_of_payers || grain.of_payers() == *grain)
    }

    /// The columns that tell rows apart beside the time.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.dimensions.iter().map(|dimension| dimension.column())
    }

    /// Which of its rows a sum belongs to.
    pub fn key_of(&self, key: &Key, grain: Grain) -> Key {
        let mut own: Key = Key {
            bucket_start: grain.start_of(key.bucket_start),
            ..Key::default()
        };
        for dimension in self.dimensions {
            match dimension {
                Dimension::User => own.user_id = key.user_id,
                Dimension::Token => own.token_id = key.token_id,
                Dimension::Channel => own.channel_id = key.channel_id,
                Dimension::Model => own.model.clone_from(&key.model),
                Dimension::Endpoint => own.endpoint.clone_from(&key.endpoint),
            }
        }
        own
    }

    /// What stands in [`Self::keys`].
    pub fn key_values(&self, key: &Key) -> impl Iterator<Item = Value> {
        self.dimensions.iter().map(|dimension| match dimension {
            Dimension::User => key.user_id.into(),
            Dimension::Token => key.token_id.into(),
            Dimension::Channel => key.channel_id.into(),
            Dimension::Model => key.model.as_str().into(),
            Dimension::Endpoint => key.endpoint.as_str().into(),
        })
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

    /// What stands in [`Self::measures`].
    pub fn measure_values(&self, measures: &Measures) -> Vec<Value> {
        let Measures {
            requests,
            errors,
            charge_nanos,
            ..
        } = *measures;
        if self.has_all_measures {
            measures.in_order().map(Value::from).collect()
        } else {
            [requests, errors, charge_nanos].map(Value::from).into()
        }
    }
}

//! A typed JSON document in a `TEXT` column: the same on both engines, kept byte for byte.

use sea_orm::sea_query::{ArrayType, ColumnType, Nullable, ValueType, ValueTypeErr};
use sea_orm::{ColIdx, DbErr, QueryResult, TryGetError, TryGetable, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A value that is stored as JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document<T>(pub T);

impl<T: Serialize> Document<T> {
    /// What is stored.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.0)
            .expect("documents have string keys and no failing serializer")
    }
}

impl<T: Serialize> From<Document<T>> for Value {
    fn from(document: Document<T>) -> Self {
        Self::String(Some(document.text()))
    }
}

impl<T: DeserializeOwned> TryGetable for Document<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        let text = String::try_get_by(row, index)?;
        serde_json::from_str(&text)
            .map(Self)
            .map_err(|error| TryGetError::DbErr(DbErr::Json(error.to_string())))
    }
}

impl<T: DeserializeOwned> ValueType for Document<T> {
    fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
        match value {
            Value::String(Some(text)) => serde_json::from_str(&text)
                .map(Self)
                .map_err(|_| ValueTypeErr),
            _ => Err(ValueTypeErr),
        }
    }

    fn type_name() -> String {
        "Document".to_owned()
    }

    fn array_type() -> ArrayType {
        ArrayType::String
    }

    fn column_type() -> ColumnType {
        ColumnType::Text
    }
}

impl<T> Nullable for Document<T> {
    fn null() -> Value {
        Value::String(None)
    }
}

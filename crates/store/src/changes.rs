//! Partial updates: what is absent stays as it is.

use sea_orm::{ActiveValue, DbErr, Value};

use crate::error::Result;

/// `Some` sets a column, `None` leaves it.
pub(crate) fn changed<T: Into<Value>>(value: Option<T>) -> ActiveValue<T> {
    value.map_or(ActiveValue::NotSet, ActiveValue::Set)
}

/// The outcome of an update by id: none where no row has that id.
pub(crate) fn found<T>(outcome: std::result::Result<T, DbErr>) -> Result<Option<T>> {
    match outcome {
        Ok(row) => Ok(Some(row)),
        Err(DbErr::RecordNotUpdated | DbErr::RecordNotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

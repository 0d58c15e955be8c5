//! Which of the two gateways a database belongs to, and how to tell.

use crate::imports::error::ImportError;
use crate::imports::table::Tables;

/// A gateway whose databases can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// one-api.
    OneApi,
    /// new-api.
    NewApi,
}

/// What a database must have, whichever it is.
const COLUMNS: [(&str, &[&str]); 3] = [
    (
        "users",
        &["id", "username", "password", "role", "status", "quota"],
    ),
    (
        "tokens",
        &["id", "user_id", "key", "status", "remain_quota"],
    ),
    ("channels", &["id", "type", "key", "status", "models"]),
];

impl Flavour {
    fn name(self) -> &'static str {
        match self {
            Self::OneApi => "one-api",
            Self::NewApi => "new-api",
        }
    }

    /// Refuses tables that are not this gateway's. A type of channel means different vendors in the
    /// two, so taking one for the other would send keys to the wrong places.
    pub fn check(self, tables: &Tables) -> Result<(), ImportError> {
        for (table, columns) in COLUMNS {
            if !tables.has(table) {
                let text = format!("there is no table `{table}`: is this {}?", self.name());
                return Err(ImportError::source(text));
            }
            for column in columns {
                if !tables.has_column(table, column) {
                    let name = self.name();
                    let text = format!("table `{table}` has no column `{column}`: is this {name}?");
                    return Err(ImportError::source(text));
                }
            }
        }
        // Only new-api switches a token's list of models on and off.
        let looks_like = if tables.has_column("tokens", "model_limits_enabled") {
            Self::NewApi
        } else {
            Self::OneApi
        };
        if looks_like != self {
            let text = format!("this looks like a database of {}", looks_like.name());
            return Err(ImportError::source(text));
        }
        Ok(())
    }
}

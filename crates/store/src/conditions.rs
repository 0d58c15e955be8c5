//! A WHERE clause in the making: conditions joined by AND, with their numbered parameters.

use sea_orm::Value;

/// Conditions and the values of their parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    clauses: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition; `{}` in it stands for the parameter's number.
    pub(crate) fn add(&mut self, clause: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        let number = self.values.len();
        self.clauses
            .push(clause.replace("{}", &format!("${number}")));
    }

    /// Adds a condition if there is a value for it.
    pub(crate) fn add_some<T: Into<Value>>(&mut self, clause: &str, value: Option<T>) {
        if let Some(value) = value {
            self.add(clause, value);
        }
    }

    /// Adds a condition on two columns as a pair, for keyset pages.
    pub(crate) fn before(&mut self, columns: &str, first: i64, second: impl Into<Value>) {
        self.values.push(first.into());
        self.values.push(second.into());
        let number = self.values.len();
        self.clauses
            .push(format!("({columns}) < (${}, ${number})", number - 1));
    }

    /// Adds a condition without a parameter.
    pub(crate) fn add_plain(&mut self, clause: impl Into<String>) {
        self.clauses.push(clause.into());
    }

    /// The conditions, or one that always holds.
    pub(crate) fn sql(&self) -> String {
        if self.clauses.is_empty() {
            return "1 = 1".to_owned();
        }
        self.clauses.join(" AND ")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    pub(crate) fn values(&self) -> Vec<Value> {
        self.values.clone()
    }
}

//! How a command fails: one line, and an exit status with a meaning.

use std::fmt;
use std::process::ExitCode;

use store::StoreError;

use crate::config::Problems;
use crate::declared::DeclareError;
use crate::secrets::KeyFileError;
use crate::serve::TlsError;

/// What the exit status of `modelgate` means. 0 is success, and 2 is a wrong command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Anything that has no status of its own.
    Other = 1,
    /// Set-up was done before.
    AlreadySetUp = 3,
    /// The configuration is wrong.
    Configuration = 4,
    /// The data folder or the master key cannot be used.
    DataFolder = 5,
    /// The address cannot be listened on.
    Address = 6,
    /// The database cannot be reached or used.
    Database = 7,
    /// The database was written by a newer version.
    NewerDatabase = 8,
    /// The ledger's balances do not follow from its entries.
    LedgerDiffers = 9,
}

/// Why a command ends early.
#[derive(Debug)]
pub struct Failure {
    /// Its exit status.
    pub exit: Exit,
    /// What happened; printed as one line. Empty where nobody listens.
    pub text: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(exit: Exit, text: impl fmt::Display) -> Self {
        Self {
            exit,
            text: text.to_string(),
        }
    }

    /// Prints the line and gives the exit status.
    pub fn report(&self) -> ExitCode {
        let line = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() {
            eprintln!("modelgate: {line}");
        }
        ExitCode::from(self.exit as u8)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::new(Exit::Configuration, problems)
    }
}

impl From<KeyFileError> for Failure {
    fn from(error: KeyFileError) -> Self {
        Self::new(Exit::DataFolder, error)
    }
}

impl From<TlsError> for Failure {
    fn from(error: TlsError) -> Self {
        Self::new(Exit::Configuration, error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match &error {
            StoreError::NewerThanBinary { .. } => Exit::NewerDatabase,
            _ => Exit::Database,
        };
        Self::new(exit, error)
    }
}

impl From<DeclareError> for Failure {
    fn from(error: DeclareError) -> Self {
        match error {
            DeclareError::Refused(text) => Self::new(Exit::Configuration, text),
            DeclareError::Store(error) => error.into(),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(Exit::Other, format!("{error:#}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        // Whoever reads what is printed has enough, like `head`: that is nobody's mistake.
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(Exit::Other, "");
        }
        Self::new(Exit::Other, error)
    }
}

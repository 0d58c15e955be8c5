//! What kinds of long work there are.

use schemars::JsonSchema;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum TaskKind {
    /// An export of calls.
    LogExport,
    /// Users from a file.
    UserImport,
    /// One change of many channels.
    ChannelBatch,
    /// A test of many channels.
    ChannelTest,
    /// Records of another gateway.
    Import,
    /// The way back from that.
    ImportUndo,
}

impl TaskKind {
    /// Its name in the records and on the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogExport => "log_export",
            Self::UserImport => "user_import",
            Self::ChannelBatch => "channel_batch",
            Self::ChannelTest => "channel_test",
            Self::Import => "import",
            Self::ImportUndo => "import_undo",
        }
    }
}

//! Many users at once, from a CSV file. A row is a user or a refusal, and no row touches another: the
//! same file again refuses what it made, and books nothing twice.

mod plan;
mod run;
mod table;
mod view;

pub(super) use run::{UserImportSearch, import};
pub(super) use view::UserImport;

//! Imports from other gateways: what was carried over, which record of ours came from which of
//! theirs, and what has happened to those records since. Reading a source is the server's business.

mod items;
mod records;
mod since;

pub use items::{Entity, ImportItem, NewItem, add_item, delete_item, items, items_of, known};
pub use records::{
    Import, ImportState, NewImport, begin, begin_undo, finish, finish_undo, get, is_anybody_at_it,
    list, touch,
};
pub use since::{Since, remove_user, since};

//! The routes of users.

use super::{UserView, create, import, list, manage, update};
use crate::management::frame::{Level, PageQuery, PagedList, Route, SortQuery};

/// The routes.
pub fn routes() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get("/api/user/", administrator, list::list)
            .about("List users")
            .details(
                "Newest first, or by `sort`: username, created_at, last_login_at, used_quota. \
                 `search` looks into names and e-mail addresses.",
            )
            .searches::<PageQuery>()
            .searches::<SortQuery>()
            .searches::<list::UserSearch>()
            .gives::<PagedList<UserView>>(),
        Route::get("/api/user/{id}", administrator, list::one)
            .about("Read a user")
            .gives::<UserView>(),
        Route::post("/api/user/", administrator, create::create)
            .about("Make a user")
            .details("`quota` is what the wallet begins with, as a grant.")
            .takes::<create::NewUserInput>()
            .gives::<UserView>(),
        Route::post("/api/user/import", administrator, import::import)
            .about("Make users from a CSV file, or see what that would do")
            .details(
                "The body is the file: UTF-8 with a first line of column names, commas or semicolons \
                 between cells, at most 5,000 rows and 4 MiB. Columns, in any order: `username`, \
                 `email`, `display_name`, `group`, `role` (`user`, `administrator`, `root` or their \
                 numbers), `balance_usd`, `password`; only the first is required. Each row is checked \
                 as a single new user is, and made by itself. A dry run answers with the `report`; \
                 otherwise a task does it, and its `result` is the report, a `UserImportReport`. \
                 Who gets no password needs an e-mail address, to set one by mail.",
            )
            .searches::<import::UserImportSearch>()
            .takes_bytes()
            .gives::<import::UserImport>(),
        Route::put("/api/user/", administrator, update::update)
            .about("Change a user")
            .details(
                "Nobody changes somebody of their own level or above, root aside. `quota` is the \
                 new balance; the difference is one entry of the ledger, with `reason`. A new \
                 password, role or state ends the user's sessions.",
            )
            .takes::<update::UserUpdate>()
            .gives::<UserView>(),
        Route::delete("/api/user/{id}", administrator, manage::delete)
            .about("Delete a user")
            .details("Tokens, sessions and factors go; the ledger and the log keep the id."),
        Route::post("/api/user/manage", administrator, manage::manage)
            .about("Act on a user")
            .details(
                "`enable`, `disable`, `delete`, `reset_2fa`, or `add_quota` with `value` in quota \
                 units (below zero takes away) and `reason`.",
            )
            .takes::<manage::Management>()
            .gives::<Option<UserView>>(),
    ]
}

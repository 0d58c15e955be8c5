//! The routes of models.

use super::list;
use crate::management::frame::{Level, Route};
use crate::management::group_choice::GroupSearch;

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/user/models", Level::User, list::names)
            .about("List the names of the models that one can use")
            .details("Those of one's own group, or of one that one may choose.")
            .searches::<GroupSearch>()
            .gives::<Vec<String>>(),
        Route::get("/api/model/meta", Level::User, list::meta)
            .about("List models with what they do and cost")
            .details(
                "Those of one's own group, or of one that one may choose. Administrators see all \
                 that channels serve, with the channels.",
            )
            .searches::<GroupSearch>()
            .gives::<Vec<list::ModelView>>(),
        Route::get("/api/model/catalogue", Level::None, list::catalogue)
            .about("List models with what they do and cost, for visitors")
            .details("Those of the default group; refused where `console.catalogue` is off.")
            .gives::<Vec<list::ModelView>>(),
    ]
}

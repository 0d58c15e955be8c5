//! The routes of tokens.

use super::view::TokenView;
use super::{batch, create, list, playground, rotate, update, usage};
use crate::management::frame::{Level, PageQuery, PagedList, Route, SortQuery};

/// The routes.
pub fn routes() -> Vec<Route> {
    let user = Level::User;
    vec![
        Route::get("/api/token/", user, list::list)
            .about("List tokens")
            .details(
                "One's own; administrators name another user by `user_id`. Newest first, or by \
                 `sort`: name, created_at, last_used_at, expires_at, used_quota.",
            )
            .searches::<PageQuery>()
            .searches::<SortQuery>()
            .searches::<list::TokenSearch>()
            .gives::<PagedList<TokenView>>(),
        Route::get("/api/token/{id}", user, list::one)
            .about("Read a token")
            .gives::<TokenView>(),
        Route::post("/api/token/", user, create::create)
            .about("Make a token")
            .details(
                "The secret comes once, as `key`. A token's rights are a part of its owner's: it \
                 calls as the owner's group, as one that everybody may choose, or, for \
                 administrators, as any.",
            )
            .takes::<create::NewTokenInput>()
            .gives::<TokenView>(),
        Route::put("/api/token/", user, update::update)
            .about("Change a token")
            .details("`status` 2 pauses it, 1 lets it work again.")
            .takes::<update::TokenUpdate>()
            .gives::<TokenView>(),
        Route::delete("/api/token/{id}", user, update::delete)
            .about("Delete a token")
            .details("It answers 401 from now on; the log keeps its id."),
        Route::post("/api/token/{id}/rotate", user, rotate::rotate)
            .about("Give a token a new secret")
            .details("The former one works for `overlap_s` seconds more; by default not at all.")
            .takes::<rotate::Rotation>()
            .gives::<TokenView>(),
        Route::post("/api/token/batch", user, batch::batch)
            .about("Pause, resume, delete or extend many tokens")
            .takes::<batch::TokenBatch>()
            .gives::<batch::BatchDone>(),
        Route::get("/api/token/{id}/usage", user, usage::show)
            .about("Read what a token used and what its budgets leave")
            .gives::<usage::TokenUsage>(),
        Route::post("/api/playground/token", user, playground::make)
            .about("Make a short-lived token for the playground")
            .details(
                "It has the rights of the user, works for 15 minutes, is in no list, and its calls \
                 are logged with the source `playground`. Administrators may bind it to one channel: \
                 its calls go through that one alone, while it is on and has the model, and no other \
                 takes over.",
            )
            .takes::<playground::PlaygroundWish>()
            .gives::<playground::PlaygroundToken>(),
    ]
}

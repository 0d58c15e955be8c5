//! The routes of settings.

use super::list::list;
use super::update::{OptionsInput, update};
use super::view::OptionView;
use crate::management::frame::{Level, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/option/", Level::Administrator, list)
            .about("Read the settings in effect, and where each was set")
            .gives::<Vec<OptionView>>(),
        Route::put("/api/option/", Level::Root, update)
            .about("Change settings; all of them or none")
            .details(
                "All nodes obey within a second. A setting that the environment or a flag sets is \
                 refused with the code `setting_locked`, and so is one that only the machine's own \
                 configuration can change. Secrets are stored encrypted and never shown; an empty \
                 text leaves one as it is. Sensitive settings take a step-up (`POST /api/verify`): those \
                 about logins, mail, payments, outgoing calls, alerts and the public address, and secrets.",
            )
            .takes::<OptionsInput>()
            .gives::<Vec<OptionView>>(),
    ]
}

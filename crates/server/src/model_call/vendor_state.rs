//! References to what a vendor keeps (files, containers, conversations, prompts, caches) are rejected: many people call
//! through the key of one channel, and nobody can know whether such an id is the caller's own.

use dialects::Sighted;
use dialects::canonical::Failure;
use dialects::vendor_state::{Surface, is_suspected, look};

use crate::app::App;

/// Whether references are passed on to vendors here.
pub fn is_passed(app: &App) -> bool {
    app.config().routing.pass_vendor_state
}

/// Rejects a body that holds such a reference. Returns whether items of its input have ids (responses).
pub fn check(app: &App, surface: Surface, sighted: &Sighted, body: &[u8]) -> Result<bool, Failure> {
    if is_suspected(surface, sighted) {
        return check_all(app, surface, body);
    }
    Ok(false)
}

/// Rejects a body of another operation that holds such a reference.
pub fn check_other(app: &App, body: &[u8]) -> Result<(), Failure> {
    check_all(app, Surface::Other, body)?;
    Ok(())
}

/// Rejects an event of a realtime client that holds such a reference.
pub fn check_event(app: &App, frame: &str) -> Result<(), Failure> {
    check_all(app, Surface::Realtime, frame.as_bytes())?;
    Ok(())
}

fn check_all(app: &App, surface: Surface, body: &[u8]) -> Result<bool, Failure> {
    let found = look(surface, body)?;
    match found.rejected {
        Some(rejected) if !is_passed(app) => {
            let (path, what) = (rejected.path, rejected.what);
            let text = format!(
                "`{path}` refers to state that the vendor keeps ({what}). It may belong to another caller, so it is not accepted here. Send the content itself."
            );
            Err(Failure::bad_request(path, text))
        }
        _ => Ok(found.has_items),
    }
}

//! The routes of incidents.

use super::{act, action, list, test, view};
use crate::management::frame::{CursorList, CursorQuery, Level, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    let administrator = Level::Administrator;
    vec![
        Route::get("/api/incident/", administrator, list::list)
            .about("List incidents")
            .details("Newest first.")
            .searches::<CursorQuery>()
            .searches::<list::IncidentSearch>()
            .gives::<CursorList<view::IncidentView>>(),
        Route::get("/api/incident/{id}", administrator, list::one)
            .about("Read an incident with its timeline and what it touches")
            .gives::<view::IncidentDetail>(),
        Route::post("/api/incident/{id}/note", administrator, act::note)
            .about("Write a note into an incident's timeline")
            .takes::<act::NewNote>()
            .gives::<view::IncidentDetail>(),
        Route::post(
            "/api/incident/{id}/acknowledge",
            administrator,
            act::acknowledge,
        )
        .about("Say that one looks after an incident")
        .gives::<view::IncidentDetail>(),
        Route::post("/api/incident/{id}/resolve", administrator, act::resolve)
            .about("Close an incident by hand")
            .details(
                "Incidents close by themselves when they are over. After this, the same cause opens \
                 no other for `[incidents] quiet_s` seconds.",
            )
            .takes::<act::Resolution>()
            .gives::<view::IncidentDetail>(),
        Route::post("/api/incident/{id}/action", administrator, action::action)
            .about("Do something against an open incident")
            .details(
                "`drain`, `stop` and `resume` switch the incident's channel; `swap_priority` gives it and \
                 `channel_id` each other's priority; `raise_attempts` lets calls try more upstreams, which \
                 is a setting and root's alone. Each is in the timeline and the audit log.",
            )
            .takes::<action::NewAction>()
            .gives::<view::IncidentDetail>(),
        Route::post("/api/incident/test", administrator, test::test)
            .about("Send a test to everybody who is told of incidents")
            .gives::<Vec<test::TestedTarget>>(),
    ]
}

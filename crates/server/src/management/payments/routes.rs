//! The routes of payments.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::{codes, deliveries, epay_door, orders, referral, sandbox_page, top_up, webhook};
use crate::app::App;
use crate::management::frame::{CursorList, CursorQuery, Level, PageQuery, PagedList, Route};
use crate::payments::EPAY_NOTICES;

/// The routes.
pub fn routes() -> Vec<Route> {
    [
        webhook_routes(),
        top_up_routes(),
        code_routes(),
        referral_routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What is no part of the interface: the sandbox's checkout is a page for people, and EPay's notices have a form of
/// their own.
pub fn pages() -> Router<Arc<App>> {
    Router::new()
        .route(
            "/pay/sandbox/{session}",
            get(sandbox_page::show).post(sandbox_page::choose),
        )
        .route(EPAY_NOTICES, get(epay_door::notice).post(epay_door::notice))
}

fn webhook_routes() -> Vec<Route> {
    vec![
        Route::post("/api/payment/webhook", Level::None, webhook::webhook)
            .about("Take an event of a payment provider")
            .details(
                "Signed in `Stripe-Signature` or `Modelgate-Signature`. Refused in this order: 413 \
                 too large; 400 empty, or no known signature header; 503 that provider has no \
                 secret; 400 wrong signature, or no event. Whatever is believed is answered 200, \
                 also what was seen before; 500 asks the provider to try again.",
            )
            .takes_bytes()
            .from_anywhere()
            .gives::<webhook::Received>(),
        Route::get(
            "/api/payment/delivery/",
            Level::Administrator,
            deliveries::list,
        )
        .about("List deliveries of payment events with their verdict")
        .searches::<CursorQuery>()
        .searches::<deliveries::DeliverySearch>()
        .gives::<CursorList<deliveries::DeliveryView>>(),
        Route::post(
            "/api/payment/delivery/replay",
            Level::Administrator,
            deliveries::replay_one,
        )
        .about("Act on a delivered event again")
        .details("Nothing is credited or taken back twice.")
        .takes::<deliveries::Replay>()
        .gives::<deliveries::DeliveryView>()
        .moves_money(),
    ]
}

fn top_up_routes() -> Vec<Route> {
    vec![
        Route::get("/api/topup/info", Level::User, top_up::info)
            .about("Read how the wallet can be topped up")
            .gives::<top_up::TopUpInfo>(),
        Route::post("/api/topup/", Level::User, top_up::create)
            .about("Order credit")
            .details("The wallet is credited when the provider says that the order was paid.")
            .takes::<top_up::NewTopUp>()
            .gives::<top_up::Ordered>()
            .moves_money(),
        Route::get("/api/topup/", Level::User, orders::own)
            .about("List your orders")
            .searches::<PageQuery>()
            .gives::<PagedList<orders::OrderView>>(),
        Route::get("/api/topup/all", Level::Administrator, orders::all)
            .about("List everybody's orders")
            .searches::<PageQuery>()
            .searches::<orders::OrderSearch>()
            .gives::<PagedList<orders::OrderView>>(),
        Route::get("/api/topup/{order_id}", Level::User, orders::one)
            .about("Read one of your orders")
            .gives::<orders::OrderView>(),
    ]
}

fn code_routes() -> Vec<Route> {
    vec![
        Route::get("/api/redemption/", Level::Administrator, codes::list)
            .about("List redemption codes")
            .searches::<PageQuery>()
            .searches::<codes::CodeSearch>()
            .gives::<PagedList<codes::CodeView>>(),
        Route::post("/api/redemption/", Level::Administrator, codes::create)
            .about("Make redemption codes")
            .details("The codes are shown this once.")
            .takes::<codes::NewCodes>()
            .gives::<codes::MadeCodes>()
            .moves_money(),
        Route::put("/api/redemption/", Level::Administrator, codes::update)
            .about("Switch a redemption code off or on")
            .takes::<codes::CodeChanges>()
            .gives::<codes::CodeView>()
            .moves_money(),
        Route::delete("/api/redemption/{id}", Level::Administrator, codes::delete)
            .about("Delete a redemption code that nobody redeemed")
            .moves_money(),
        Route::post("/api/redemption/redeem", Level::User, codes::redeem)
            .about("Redeem a code")
            .takes::<codes::Redeem>()
            .gives::<codes::Redeemed>()
            .moves_money(),
    ]
}

fn referral_routes() -> Vec<Route> {
    vec![
        Route::get("/api/user/aff", Level::User, referral::show)
            .about("Read your invite code and what it earned")
            .gives::<referral::ReferralView>(),
        Route::get("/api/user/aff/{code}", Level::None, referral::inviter)
            .about("Read who invites by this code")
            .gives::<referral::Inviter>(),
        Route::post("/api/user/aff_transfer", Level::User, referral::transfer)
            .about("Move referral earnings to the wallet")
            .takes::<referral::Transfer>()
            .gives::<referral::NewBalances>()
            .moves_money(),
    ]
}

//! A server process is killed at random moments under load: no answer that a client has is
//! uncharged or charged twice, and nothing stays held.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::house::{House, Random, load};

/// 2 × 0.10 and 10 × 0.40 dollars for a million tokens.
pub const COST: i64 = 4_200;
const KILLS: usize = 50;
/// Small groups of charges and large ones.
const CLIENTS: [usize; 2] = [4, 24];

#[test]
fn fifty_kills_under_load_lose_no_charge_and_leave_nothing_held() {
    let mut random = Random::new("kills");
    let house = House::new(None, 1, "100", "");
    let whole = Mutex::new(BTreeSet::new());
    let mut has_spooled = false;
    for kill in 0..KILLS {
        let clients = CLIENTS[kill % CLIENTS.len()];
        let program = house.serve(0);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| load(&house, &program, clients, &is_over, &whole));
            std::thread::sleep(Duration::from_millis(20 + random.below(150)));
            program.signal("KILL");
            is_over.store(true, Ordering::SeqCst);
        });
        has_spooled |= house.has_spooled(0);
    }
    let mut program = house.serve(0);
    program.signal("TERM");
    assert!(program.wait().success(), "{}", program.log());
    let whole = whole.into_inner().unwrap();
    assert!(whole.len() > KILLS, "only {} calls", whole.len());
    assert!(has_spooled && !house.has_spooled(0));
    house.check(&whole, COST);
}

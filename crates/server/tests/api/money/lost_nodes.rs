//! A node that will not return: what it holds is taken back by hand.

use store::nodes;

use super::caller::{Caller, WHOLE};
use super::house::House;
use crate::nodes::empty_database;

#[test]
fn what_a_lost_node_holds_goes_back_when_it_is_removed() {
    let house = House::new(Some(&empty_database("lost_nodes")), 1, "100", "");
    let mut program = house.serve(0);
    let mut caller = Caller::new(program.address, &house.token);
    assert_eq!(caller.call(WHOLE).expect("an answer").status, 200);
    program.signal("KILL");
    program.wait();
    let held = house.balances().held_nanos;
    assert!(held > 0);
    let listed = house.run(&["node", "list"]).stdout;
    let dollars = billing::pricing::format_dollars(held);
    assert!(
        listed.contains(&format!("1 leases hold {dollars} dollars")),
        "{listed}"
    );
    let (name, _) = listed.split_once(' ').expect("a name comes first");

    let refused = house.run(&["node", "remove", name]);
    assert_eq!(refused.code, Some(1), "it was there a moment ago");
    assert_eq!(house.balances().held_nanos, held);
    house.records(async |store| {
        let transaction = store.write().await.unwrap();
        let long_ago = nodes::set_journal(&transaction, name, false, 0).await;
        long_ago.unwrap();
        transaction.commit().await.unwrap();
    });
    let removed = house.run(&["node", "remove", name]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(house.balances().held_nanos, 0);
    assert_eq!(house.run(&["node", "remove", name]).code, Some(1));
    house.verify();
}

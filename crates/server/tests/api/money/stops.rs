//! A server is stopped while calls run that take longer than it waits for them.

use super::caller::STREAMED;
use super::house::{House, number};
use super::own_postgres::OwnPostgres;
use crate::support::Connection;

/// Calls that were broken off and paid for.
const CHARGED: &str = "SELECT COUNT(*) FROM request_log WHERE charge_nanos > 0";

#[test]
fn a_call_that_is_cut_pays_for_what_was_generated() {
    let postgres = OwnPostgres::start();
    for url in [None, Some(postgres.url())] {
        let house = House::new(url.as_deref(), 1, "1", "[server]\ngrace_s = 1\n");
        let mut program = house.serve(0);
        let mut client = Connection::open(program.address);
        client.write(&format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
             x-modelgate-demo: pace=3000\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{STREAMED}",
            house.token,
            STREAMED.len(),
        ));
        client.read_until("data: ");
        program.signal("TERM");
        assert!(program.wait().success(), "{}", program.log());
        assert!(program.log().contains("not all that ran has finished"));
        let charged = house.records(async |store| number(store, CHARGED).await);
        assert_eq!(charged, 1, "{}", program.log());
        assert_eq!(house.balances().held_nanos, 0);
        house.verify();
    }
}

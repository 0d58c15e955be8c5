//! The orderly stop of the real program.

use std::time::Duration;

use tempfile::TempDir;

use crate::support::{Connection, Program, get};

fn serve(folder: &TempDir, environment: &[(&str, &str)]) -> Program {
    let data = folder.path().join("data");
    Program::serve(
        &["--data", data.to_str().expect("a path of text")],
        environment,
    )
}

#[test]
fn a_stop_finishes_the_request_that_runs_and_exits_with_success() {
    for signal in ["TERM", "INT"] {
        let folder = TempDir::new().unwrap();
        let mut program = serve(&folder, &[]);
        let address = program.address;
        let mut slow = Connection::open(address);
        slow.write("POST /v1/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\n\r\nabc");
        std::thread::sleep(Duration::from_millis(200));
        program.signal(signal);
        program.wait_for_log("stopping");
        std::thread::sleep(Duration::from_millis(300));
        slow.write("def");
        let reply = slow.read_to_end();
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (404, &"not_found".into())
        );
        assert_eq!(program.wait().code(), Some(0), "{}", program.log());
        assert!(
            std::net::TcpStream::connect(address).is_err(),
            "nobody listens any more"
        );
    }
}

#[test]
fn what_does_not_finish_within_the_grace_time_is_cut() {
    let folder = TempDir::new().unwrap();
    let mut program = serve(&folder, &[("MODELGATE_SERVER__GRACE_S", "1")]);
    let mut slow = Connection::open(program.address);
    slow.write("POST /v1/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\n\r\nabc");
    std::thread::sleep(Duration::from_millis(200));
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0), "{}", program.log());
    assert!(
        program.log().contains("not all that ran has finished"),
        "{}",
        program.log()
    );
}

#[test]
fn an_idle_connection_does_not_hold_the_stop_up() {
    let folder = TempDir::new().unwrap();
    let mut program = serve(&folder, &[]);
    let _silent = Connection::open(program.address);
    let mut idle = Connection::open(program.address);
    idle.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    assert_eq!(get(program.address, "/healthz").status, 200);
    let started = std::time::Instant::now();
    program.signal("TERM");
    assert_eq!(program.wait().code(), Some(0), "{}", program.log());
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

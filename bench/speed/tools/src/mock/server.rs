//! Listens and starts a task for each connection, all on one thread: the mock is pinned to a core
//! beside the load generator.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use tokio::net::TcpSocket;
use tokio::task::LocalSet;

use super::connection::{Answers, attend};

/// Enough for all the connections of a workload to arrive at once.
const BACKLOG: u32 = 4096;

/// Serves until the process is ended.
pub fn serve(address: SocketAddr) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let answers = Rc::new(Answers::new());
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                continue;
            };
            let answers = Rc::clone(&answers);
            tokio::task::spawn_local(async move {
                // A client that goes away in the middle of an answer is nothing to tell about.
                let _ = attend(stream, &answers).await;
            });
        }
    })
}

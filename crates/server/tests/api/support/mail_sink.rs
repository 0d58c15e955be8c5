//! A mail server made of a socket.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::office::Office;

/// A mail server that hands every message to the test.
pub struct MailSink {
    port: u16,
    pub messages: Receiver<String>,
}

impl MailSink {
    pub fn open() -> Self {
        Self::after_refusals(0)
    }

    /// One that sends its first callers away.
    pub fn after_refusals(mut refusals: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().expect("a socket")).lines();
                let mut say = |text: &str| write!(stream, "{text}\r\n").is_ok();
                if refusals > 0 {
                    refusals -= 1;
                    say("421 later");
                    continue;
                }
                say("220 sink");
                let (mut message, mut is_data) = (String::new(), false);
                while let Some(Ok(line)) = lines.next() {
                    if is_data && line != "." {
                        message.push_str(&line);
                        message.push('\n');
                        continue;
                    }
                    let is_end = std::mem::replace(&mut is_data, line == "DATA");
                    match line.split(' ').next() {
                        _ if is_end => {
                            say("250 ok");
                            let _ = sender.send(std::mem::take(&mut message));
                        }
                        Some("DATA") => _ = say("354 go on"),
                        Some("QUIT") => _ = say("221 bye"),
                        _ => _ = say("250 ok"),
                    }
                }
            }
        });
        Self { port, messages }
    }

    /// Where it listens, on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The configuration that sends mail here.
    pub fn configuration(&self) -> String {
        format!(
            "[mail]\nhost = \"127.0.0.1\"\nport = {}\nsecurity = \"none\"\n\
             allow_private = [\"127.0.0.1\"]\nfrom = \"Gate <gate@example.org>\"\n",
            self.port
        )
    }

    /// A service that sends its mail here.
    pub fn office(&self) -> Office {
        let server = "[server]\npublic_url = \"https://gate.example/\"\n";
        Office::with(&format!("{server}{}", self.configuration()))
    }

    /// The next message.
    pub fn next(&self) -> String {
        self.messages
            .recv_timeout(Duration::from_secs(30))
            .expect("a mail")
    }
}

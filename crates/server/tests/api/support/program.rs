//! The program that users start: run to its end, or served in the background until a test ends.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::client::get;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The one line on standard error; anything but one line is a failed test.
    pub fn only_line(&self) -> &str {
        let lines: Vec<&str> = self.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{self:?}");
        lines[0]
    }
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Finished {
    run_with(arguments, &[], "")
}

/// Runs the program to its end, with an environment and a standard input.
pub fn run_with(arguments: &[&str], environment: &[(&str, &str)], input: &str) -> Finished {
    let mut child = command(arguments, environment)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a standard input");
    // A program that fails early does not read its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

fn command(arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_modelgate"));
    // Nothing of the surroundings may change what a test sees.
    for (name, _) in std::env::vars() {
        if name.starts_with("MODELGATE_") {
            command.env_remove(name);
        }
    }
    command
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A serving program; killed when dropped.
pub struct Program {
    pub address: SocketAddr,
    /// What it printed before it was ready.
    pub greeting: String,
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Program {
    /// Serves on a free port and waits until it is ready.
    pub fn serve(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = command(&arguments, environment)
            .env("MODELGATE_TELEMETRY__METRICS_ALLOW", "127.0.0.1")
            .stdin(Stdio::null())
            .spawn()
            .expect("it starts");
        let log = collect(child.stderr.take().expect("a standard error"));
        let mut stdout = BufReader::new(child.stdout.take().expect("a standard output"));
        let mut greeting = String::new();
        stdout.read_line(&mut greeting).expect("a greeting");
        let address = greeting
            .trim()
            .rsplit("://")
            .next()
            .and_then(|text| text.parse().ok());
        let address = address.unwrap_or_else(|| {
            std::thread::sleep(Duration::from_millis(200));
            panic!(
                "it did not start: {greeting:?} {}",
                log.lock().expect("a log")
            )
        });
        let rest = collect(stdout);
        let mut program = Self {
            address,
            greeting,
            child,
            log,
        };
        // The second line, where there is one, comes with the first or not at all.
        program.wait_until(|_| get(address, "/readyz").status == 200);
        program.greeting.push_str(&rest.lock().expect("the output"));
        program
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("a log").clone()
    }

    /// Waits until the log contains a text.
    pub fn wait_for_log(&self, text: &str) {
        self.wait_until(|program| program.log().contains(text));
    }

    /// What it holds in memory now, in bytes.
    pub fn memory(&self) -> usize {
        self.memory_line("VmRSS:")
    }

    /// The most that it has ever held.
    pub fn peak_memory(&self) -> usize {
        self.memory_line("VmHWM:")
    }

    fn memory_line(&self, name: &str) -> usize {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
        let kilobytes: usize = kilobytes.expect("a line").trim().parse().expect("a number");
        kilobytes * 1024
    }

    fn wait_until(&self, is_true: impl Fn(&Self) -> bool) {
        let started = Instant::now();
        while !is_true(self) {
            assert!(
                started.elapsed() < PATIENCE,
                "waited in vain: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it does not end: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gathers what a pipe gives until it ends.
fn collect(mut pipe: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let gathered = Arc::new(Mutex::new(String::new()));
    let sink = gathered.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            sink.lock()
                .expect("a log")
                .push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    });
    gathered
}

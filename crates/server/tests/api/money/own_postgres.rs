//! A PostgreSQL of one test, to be stopped and started while servers use it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The running server; ended with the test.
pub struct OwnPostgres {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl OwnPostgres {
    /// Makes and starts one.
    pub fn start() -> Self {
        // The user that PostgreSQL runs as must get in, and a socket's path must be short.
        let folder = tempfile::Builder::new()
            .prefix("mg")
            .tempdir_in("/tmp")
            .unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut postgres = Self {
            folder,
            port,
            child: None,
        };
        let path = text(postgres.folder.path()).to_owned();
        if is_root() {
            let owned = Command::new("chown").args(["postgres", &path]).status();
            assert!(owned.unwrap().success());
        }
        let data = format!("{path}/data");
        let arguments = [
            "-D",
            &data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
        ];
        let made = postgres.command("initdb", &arguments).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        postgres.come_back();
        postgres
    }

    /// The address of its one database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops as in a crash: connections are cut and the next start recovers from the log.
    pub fn crash(&mut self) {
        let mut child = self.child.take().expect("it runs");
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", "QUIT", &id]).status();
        assert!(sent.unwrap().success());
        child.wait().unwrap();
    }

    /// Starts, and waits until it answers.
    pub fn come_back(&mut self) {
        let path = text(self.folder.path()).to_owned();
        let (data, port) = (format!("{path}/data"), self.port.to_string());
        let options = [
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "fsync=off",
            "-c",
            "max_connections=100",
        ];
        let arguments = [&["-D", &data, "-p", &port, "-k", &path], &options[..]].concat();
        self.child = Some(self.command("postgres", &arguments).spawn().unwrap());
        let started = Instant::now();
        let asked = ["-q", "-h", "127.0.0.1", "-p", &port];
        while !self
            .command("pg_isready", &asked)
            .status()
            .unwrap()
            .success()
        {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "PostgreSQL does not start"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let program = programs().join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args([
                "--reuid",
                "postgres",
                "--regid",
                "postgres",
                "--init-groups",
            ]);
            command.arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.crash();
        }
    }
}

/// The newest of Debian's layout.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut found: Vec<PathBuf> = versions.flatten().map(|version| version.path()).collect();
    found.sort();
    let newest = found.pop().map(|version| version.join("bin"));
    newest.unwrap_or_default()
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

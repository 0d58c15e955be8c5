//! Changes that another process on this machine made to the records, told through a small file in the
//! data folder: a command beside a running server has no other way where there is no Redis.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use store::shared::Notice;

use crate::app::App;
use crate::background::heed;

const FILE: &str = "changed";
/// How often a server looks.
const EVERY: Duration = Duration::from_millis(250);

/// Tells every server on this data folder that something was changed. Where there is no such folder there are none.
pub fn tell_servers(data: &Path, request_id: &str) -> io::Result<()> {
    let path = data.join(FILE);
    // Readable by all: it says nothing, and the server may run as another user than the command.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let told = options.open(&path).and_then(|mut file| {
        file.write_all(request_id.as_bytes())?;
        let is_ours = file.metadata()?.uid() == rustix::process::geteuid().as_raw();
        if is_ours {
            file.set_permissions(Permissions::from_mode(0o644))?;
        }
        Ok(())
    });
    match told {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        told => told,
    }
}

/// Looks now; what it gives looks until the stop is asked for. What the file says at first may be about a change that came
/// after the loading of the records, so everything is read once more.
pub fn heed_other_processes(app: Arc<App>) -> impl Future<Output = ()> + Send + 'static {
    let path = app.config().server.data_dir.join(FILE);
    let mut known = std::fs::read(&path).unwrap_or_default();
    heed(&app, Notice::Missed);
    async move {
        loop {
            tokio::select! {
                () = app.stop().asked() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
            let now = tokio::fs::read(&path).await.unwrap_or_default();
            if now != known {
                known = now;
                tracing::info!("a command has changed the records; reading them again");
                heed(&app, Notice::Missed);
            }
        }
    }
}

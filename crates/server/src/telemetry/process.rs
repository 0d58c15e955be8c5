//! What the operating system says about this process, as lines for Prometheus.

use std::fmt::Write as _;
use std::time::Duration;

/// Uptime and version, and what `/proc` says where there is one.
pub(super) fn render(uptime: Duration) -> String {
    let mut page = String::new();
    let info = format!(
        "modelgate_info{{version=\"{}\"}}",
        env!("CARGO_PKG_VERSION")
    );
    gauge(&mut page, "modelgate_info", &info, "1");
    let name = "process_uptime_seconds";
    gauge(
        &mut page,
        name,
        name,
        &format!("{:.3}", uptime.as_secs_f64()),
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(kilobytes) = field(&status, "VmRSS:") {
        let name = "process_resident_memory_bytes";
        gauge(&mut page, name, name, &(kilobytes * 1024).to_string());
    }
    if let Some(threads) = field(&status, "Threads:") {
        gauge(
            &mut page,
            "process_threads",
            "process_threads",
            &threads.to_string(),
        );
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        gauge(
            &mut page,
            "process_open_fds",
            "process_open_fds",
            &files.count().to_string(),
        );
    }
    page
}

fn gauge(page: &mut String, name: &str, series: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = write!(page, "# TYPE {name} gauge\n{series} {value}\n");
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

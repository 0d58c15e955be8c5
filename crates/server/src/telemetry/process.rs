//! What the operating system says about this process, and what the process is.

use std::time::Duration;

use super::page::{Kind, Page, seconds};

/// Uptime and version, and what `/proc` says where there is one.
pub(super) fn render(page: &mut Page, uptime: Duration) {
    let info = "modelgate_info";
    page.family(info, Kind::Gauge, "The version that runs.");
    page.sample(info, &[("version", env!("CARGO_PKG_VERSION"))], 1);
    let uptime = seconds(u64::try_from(uptime.as_micros()).unwrap_or(u64::MAX));
    let help = "How long the process has run.";
    page.single("process_uptime_seconds", Kind::Gauge, help, uptime);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = field(&status, "VmRSS:").map_or(0, |kilobytes| kilobytes * 1024);
    let help = "Memory that the process holds.";
    page.single("process_resident_memory_bytes", Kind::Gauge, help, memory);
    let threads = field(&status, "Threads:").unwrap_or(0);
    page.single("process_threads", Kind::Gauge, "Threads.", threads);
    let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let help = "Open files and sockets.";
    page.single("process_open_fds", Kind::Gauge, help, files);
    let help = "Time of processors that the process has used.";
    let used = seconds(processor_micros());
    page.single("process_cpu_seconds_total", Kind::Counter, help, used);
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// User and system time, from the 14th and 15th field of `stat`; a tick is a hundredth of a second
/// wherever Linux runs. The second field is a name that may hold spaces, so it is skipped by its
/// bracket.
fn processor_micros() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return 0;
    };
    let ticks = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks * 10_000
}

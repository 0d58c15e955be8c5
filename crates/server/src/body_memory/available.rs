//! The memory that the process may use: that of the machine, or less if a control group (a container) limits it.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the memory available to this process in bytes, or `None` if the system does not tell.
pub(super) fn available_memory() -> Option<usize> {
    limit_below(Path::new("/"))
}

fn limit_below(root: &Path) -> Option<usize> {
    let machine = machine_memory(root);
    let group = group_limits(root).into_iter().min();
    machine.into_iter().chain(group).min()
}

fn machine_memory(root: &Path) -> Option<usize> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

/// The limits of the process' control group and those above it, of both versions of control groups.
fn group_limits(root: &Path) -> Vec<usize> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mut limits = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mount = root.join(mount);
        let group: PathBuf = mount.join(path.trim_start_matches('/'));
        let groups = group.ancestors().take_while(|one| one.starts_with(&mount));
        limits.extend(groups.filter_map(|one| limit_in(&one.join(file))));
    }
    limits
}

/// A limit; without one, the file says `max` or a number beyond all memory.
fn limit_in(file: &Path) -> Option<usize> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_lowest_limit_counts() {
        let machine = ("proc/meminfo", "MemTotal:  4096 kB\nMemFree: 1 kB\n");
        let limit = |files: &[(&str, &str)]| limit_below(system(files).path());
        assert_eq!(limit(&[]), None);
        assert_eq!(limit(&[machine]), Some(4096 * 1024));
        let second = [
            machine,
            ("proc/self/cgroup", "0::/a.slice/b.service\n"),
            ("sys/fs/cgroup/a.slice/memory.max", "1000000\n"),
            ("sys/fs/cgroup/a.slice/b.service/memory.max", "max\n"),
        ];
        assert_eq!(limit(&second), Some(1_000_000));
        let first = [
            machine,
            ("proc/self/cgroup", "5:cpu:/x\n4:memory,hugetlb:/docker/c\n"),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            (
                "sys/fs/cgroup/memory/docker/c/memory.limit_in_bytes",
                "2000000\n",
            ),
        ];
        assert_eq!(limit(&first), Some(2_000_000));
    }

    #[test]
    fn this_system_tells() {
        assert!(available_memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}

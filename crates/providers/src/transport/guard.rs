//! Which addresses may be connected to: public ones, and those that the operator allows. Asked with
//! the very address that is then connected to, for every new connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// An address that may not be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the address is not public")]
pub struct Forbidden;

/// Decides by address.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allowed: Vec<IpNet>,
    names_by_proxy: bool,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

/// Everything in the registry of special addresses, and one that clouds keep for themselves.
const NOT_PUBLIC_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    // Azure's host services answer here, on an address that looks public.
    v4(168, 63, 129, 16, 32),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    // Multicast, reserved, broadcast.
    v4(224, 0, 0, 0, 3),
];

/// What is public at all.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);
/// What is not, inside of it: protocol assignments with Teredo, documentation, 6to4.
const NOT_PUBLIC_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 0, 23),
    v6(0x2001, 0xdb8, 0, 32),
    v6(0x2002, 0, 0, 16),
    v6(0x3fff, 0, 0, 20),
];
/// An IPv4 address is in the last 32 bits of these.
const MAPPED: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);
const NAT64: Ipv6Net = v6(0x64, 0xff9b, 0, 96);

impl Guard {
    /// A guard that also lets these ranges through.
    pub fn new(allowed: impl IntoIterator<Item = IpNet>) -> Self {
        Self {
            allowed: allowed.into_iter().collect(),
            names_by_proxy: false,
        }
    }

    /// Lets proxies resolve the names of upstreams. The addresses of these upstreams are then not checked.
    #[must_use]
    pub fn with_names_by_proxy(self, names_by_proxy: bool) -> Self {
        Self {
            names_by_proxy,
            ..self
        }
    }

    /// Reports whether proxies resolve the names of upstreams.
    pub(super) fn names_by_proxy(&self) -> bool {
        self.names_by_proxy
    }

    /// Whether this address may be connected to.
    pub fn check(&self, address: IpAddr) -> Result<(), Forbidden> {
        let meant = meant(address);
        let is_allowed = |net: &IpNet| net.contains(&address) || net.contains(&meant);
        if is_public(meant) || self.allowed.iter().any(is_allowed) {
            return Ok(());
        }
        Err(Forbidden)
    }
}

/// The IPv4 address inside an IPv6 address, where it is there to be reached.
fn meant(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) if MAPPED.contains(&v6) || NAT64.contains(&v6) => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        other => other,
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !NOT_PUBLIC_V4.iter().any(|net| net.contains(&v4)),
        IpAddr::V6(v6) => {
            GLOBAL_V6.contains(&v6) && !NOT_PUBLIC_V6.iter().any(|net| net.contains(&v6))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(guard: &Guard, address: &str) -> bool {
        guard.check(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn public_addresses_pass() {
        for address in [
            "8.8.8.8",
            "1.1.1.1",
            "172.15.255.255",
            "172.32.0.1",
            "100.63.255.255",
            "169.253.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::8a",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_open(&Guard::default(), address), "{address}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_open(&Guard::default(), address), "{address}");
        }
    }

    #[test]
    fn the_operator_may_allow_ranges() {
        let guard = Guard::new(["10.1.0.0/16".parse().unwrap(), "::1/128".parse().unwrap()]);
        assert!(is_open(&guard, "10.1.2.3") && is_open(&guard, "::1"));
        assert!(is_open(&guard, "::ffff:10.1.2.3"));
        assert!(!is_open(&guard, "10.2.0.1") && !is_open(&guard, "127.0.0.1"));
    }
}

//! A network in the configuration: CIDR notation, or a single address.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de};

/// A range of addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// Why a text is not a network.
#[derive(Debug, thiserror::Error)]
#[error("expected a network like \"10.0.0.0/8\" or an address like \"192.0.2.7\"")]
pub struct NotANetwork;

impl Network {
    /// Whether the address lies inside; an IPv4 address written as IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// The range itself.
    pub fn range(&self) -> IpNet {
        self.0
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let parsed = text.parse::<IpNet>();
        parsed
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
            .map(Self)
            .map_err(|_| NotANetwork)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_its_addresses_in_either_notation() {
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert!(network.contains("10.1.2.3".parse().unwrap()));
        assert!(network.contains("::ffff:10.1.2.3".parse().unwrap()));
        assert!(!network.contains("11.1.2.3".parse().unwrap()));
        let single: Network = "::1".parse().unwrap();
        assert!(single.contains("::1".parse().unwrap()));
        assert!("10.0.0.0/33".parse::<Network>().is_err());
    }
}

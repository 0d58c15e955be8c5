//! A secret that cannot be printed by accident: no `Display`, no serialisation, a `Debug` that hides
//! it, and memory that is wiped when it goes.

use std::fmt;

use zeroize::Zeroizing;

/// A secret text.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a secret into custody.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The secret itself, for the one place that sends or signs with it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed() {
        let secret = Secret::new("sk-very-secret");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "Secret(***) Some(Secret(***))"
        );
        assert_eq!(secret.expose(), "sk-very-secret");
    }
}

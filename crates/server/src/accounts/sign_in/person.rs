//! Who somebody is at a provider, whatever it speaks.

/// What a provider says about a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The provider's own name for the person, which never changes.
    pub subject: String,
    /// The person's address.
    pub email: Option<String>,
    /// Whether the provider has verified it.
    pub is_email_verified: bool,
    /// The name that the person logs in with there.
    pub username: Option<String>,
    /// The person's name.
    pub name: Option<String>,
}

impl Person {
    /// The address, where the provider has verified it.
    pub fn verified_email(&self) -> Option<&str> {
        let email = self.email.as_deref();
        email.filter(|_| self.is_email_verified)
    }
}

//! On which page of the console a setting stands.

/// The page of a section of the configuration.
pub fn page_of(section: &str) -> &'static str {
    match section {
        "registration" | "login" => "sign-in",
        "billing" | "referral" | "payments.stripe" | "payments.epay" | "payments.sandbox" => {
            "billing"
        }
        "routing" | "realtime" | "outbound" => "routing",
        "limits" => "limits",
        "retention" | "responses" => "privacy",
        "mail" => "e-mail",
        "incidents" | "alerts" => "alerts",
        "console" => "appearance",
        _ => "general",
    }
}

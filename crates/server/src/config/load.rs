//! The whole configuration and its loading from all sources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::layers::Layers;
use super::loader::{Given, Loader, Section};
use super::overrides::Place;
use super::problem::Problems;
use super::{
    ChannelDeclaration, OAuthDeclaration, OidcDeclaration, PriceDeclaration, TokenDeclaration,
};

/// The file that is read when none is named and it exists in the working directory.
const DEFAULT_FILE: &str = "modelgate.toml";

/// Names whose tables hold sections.
const GROUPS: [&str; 1] = ["payments"];

/// Calls a macro with every section: field of `Config`, type.
macro_rules! for_each_section {
    ($use:ident) => {
        $use! {
            server: $crate::config::ServerConfig,
            database: $crate::config::DatabaseConfig,
            redis: $crate::config::RedisConfig,
            limits: $crate::config::LimitsConfig,
            billing: $crate::config::BillingConfig,
            registration: $crate::config::RegistrationConfig,
            referral: $crate::config::ReferralConfig,
            login: $crate::config::LoginConfig,
            mail: $crate::config::MailConfig,
            stripe: $crate::config::StripeConfig,
            epay: $crate::config::EpayConfig,
            sandbox: $crate::config::SandboxConfig,
            realtime: $crate::config::RealtimeConfig,
            responses: $crate::config::ResponsesConfig,
            retention: $crate::config::RetentionConfig,
            outbound: $crate::config::OutboundConfig,
            log: $crate::config::LogConfig,
            telemetry: $crate::config::TelemetryConfig,
            incidents: $crate::config::IncidentsConfig,
            alerts: $crate::config::AlertsConfig,
            console: $crate::config::ConsoleConfig,
            routing: $crate::config::RoutingConfig,
            secrets: $crate::config::SecretsConfig,
        }
    };
}
pub(super) use for_each_section;

macro_rules! define_config {
    ($($field:ident: $section:ty,)*) => {
        /// The effective configuration.
        #[derive(Clone, Debug, Default)]
        pub struct Config {
            $(#[doc = concat!("What the section `", stringify!($field), "` says.")]
            pub $field: $section,)*
            /// Channels declared in the file.
            pub channels: Vec<ChannelDeclaration>,
            /// Tokens declared in the file.
            pub tokens: Vec<TokenDeclaration>,
            /// Prices declared in the file.
            pub prices: Vec<PriceDeclaration>,
            /// Identity providers declared in the file.
            pub oidc: Vec<OidcDeclaration>,
            /// Identity providers without OpenID Connect declared in the file.
            pub oauth: Vec<OAuthDeclaration>,
            /// What was set explicitly, and where.
            pub(super) given: Given,
        }

        /// Equal is what has the same effect, wherever it was set.
        impl PartialEq for Config {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field &&)*
                    self.channels == other.channels
                    && self.tokens == other.tokens
                    && self.prices == other.prices
                    && self.oidc == other.oidc
                    && self.oauth == other.oauth
            }
        }

        /// Puts the settings that cannot change live back to what is in effect.
        fn pin(layers: &mut Layers, in_effect: &Config) {
            $(for key in <$section>::NEEDS_RESTART {
                let place = (<$section>::NAME.to_owned(), (*key).to_owned());
                match in_effect.given.0.get(&(<$section>::NAME, (*key).to_owned())) {
                    Some(setting) => layers.settings.insert(place, setting.clone()),
                    None => layers.settings.remove(&place),
                };
            })*
        }

        /// Where a setting can be changed; none where there is no such setting.
        pub(super) fn place_of(section: &str, key: &str) -> Option<Place> {
            $(if section == <$section>::NAME {
                return Place::of::<$section>(key);
            })*
            None
        }

        const SECTIONS: &[&str] = &[$(<$section>::NAME),*];

        pub(super) fn read(loader: &mut Loader<'_>) -> Config {
            let config = Config {
                $($field: loader.section(),)*
                channels: loader.declarations(),
                tokens: loader.declarations(),
                prices: loader.declarations(),
                oidc: loader.declarations(),
                oauth: loader.declarations(),
                given: loader.take_given(),
            };
            // Both are found by their names in the same addresses.
            loader.refuse_shared_names(&config.oidc, &config.oauth);
            config
        }
    };
}
for_each_section!(define_config);

/// What the command line says about the configuration.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--data DIR`.
    pub data: Option<String>,
    /// `--listen ADDR`.
    pub listen: Option<String>,
}

/// Where the configuration is read from; kept, so that it can be read again on reload.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The file that was named, or that was there at the start: it has to stay.
    pub file: Option<PathBuf>,
    /// The file that is read where there is none yet, once it is there.
    pub later_file: Option<PathBuf>,
    /// The environment as it was at start.
    pub environment: BTreeMap<String, String>,
    /// The command line.
    pub flags: Flags,
}

impl Sources {
    /// The sources of a process: the named file, or `modelgate.toml` in the working directory
    /// where it exists; the process's environment; the flags.
    pub fn of_process(file: Option<PathBuf>, flags: Flags) -> Self {
        let default = PathBuf::from(DEFAULT_FILE);
        let is_there = default.exists();
        // A variable that is not Unicode cannot be one of ours.
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self {
            file: file.or_else(|| is_there.then(|| default.clone())),
            later_file: Some(default),
            environment,
            flags,
        }
    }
}

impl Config {
    /// Reads and checks the configuration; on failure all problems at once.
    pub fn load(sources: &Sources) -> Result<Self, Problems> {
        Self::from_layers(Layers::of(sources), sources)
    }

    /// Reads the configuration again, but keeps what is in effect where a change would need a
    /// restart.
    pub fn reload(sources: &Sources, in_effect: &Self) -> Result<Self, Problems> {
        let mut layers = Layers::of(sources);
        pin(&mut layers, in_effect);
        Self::from_layers(layers, sources)
    }

    pub(super) fn from_layers(layers: Layers, sources: &Sources) -> Result<Self, Problems> {
        let mut loader = Loader::new(layers, &sources.environment);
        let config = read(&mut loader);
        let problems = loader.finish();
        if problems.is_empty() {
            Ok(config)
        } else {
            Err(Problems(problems))
        }
    }

    /// The configuration that a TOML text alone gives.
    pub fn from_text(text: &str) -> Result<Self, Problems> {
        let mut layers = Layers::default();
        layers.add_text(DEFAULT_FILE.as_ref(), text, &GROUPS);
        Self::from_layers(layers, &Sources::default())
    }
}

impl Layers {
    /// All sources, the later over the earlier.
    fn of(sources: &Sources) -> Self {
        let mut layers = Self::default();
        let later = sources.later_file.iter().find(|path| path.exists());
        if let Some(file) = sources.file.as_ref().or(later) {
            layers.add_file(file, &GROUPS);
        }
        layers.add_given(sources);
        layers
    }

    /// The environment and the flags.
    pub(super) fn add_given(&mut self, sources: &Sources) {
        self.add_environment(&sources.environment, SECTIONS);
        if let Some(data) = &sources.flags.data {
            self.add_flag("--data", "server", "data_dir", data);
        }
        if let Some(listen) = &sources.flags.listen {
            self.add_flag("--listen", "server", "listen", listen);
        }
    }
}

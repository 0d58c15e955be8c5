//! The configuration as a whole: precedence, messages, and the reference that must not drift.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Table;

use super::field_names::field_names;
use super::layers::Layers;
use super::load::{Config, Flags, Sources, for_each_section};
use super::loader::{Declaration, Section};
use super::reference::{REFERENCE, render_documentation, show};
use super::{ChannelDeclaration, OidcDeclaration, PriceDeclaration, TokenDeclaration, changes};

fn problems(text: &str) -> Vec<String> {
    let problems = Config::from_text(text).expect_err("must be refused");
    problems.0.iter().map(ToString::to_string).collect()
}

fn load(text: &str, environment: &[(&str, &str)], flags: Flags) -> Result<Config, super::Problems> {
    let environment: BTreeMap<String, String> = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let sources = Sources {
        environment,
        flags,
        ..Sources::default()
    };
    let mut layers = Layers::default();
    layers.add_text(Path::new("modelgate.toml"), text, &["payments"]);
    layers.add_given(&sources);
    Config::from_layers(layers, &sources)
}

#[test]
fn the_reference_parses_to_exactly_the_defaults() {
    assert_eq!(
        Config::from_text(REFERENCE).expect("the reference is valid"),
        Config::default()
    );
}

macro_rules! section_fields {
    ($($field:ident: $section:ty,)*) => {
        vec![$((<$section>::NAME, field_names::<$section>())),*]
    };
}

#[test]
fn every_key_is_in_the_reference_and_the_reference_has_no_other() {
    let uncommented: Vec<&str> = REFERENCE
        .lines()
        .map(|line| {
            line.strip_prefix('#')
                .filter(|rest| !rest.starts_with(' '))
                .unwrap_or(line)
        })
        .collect();
    let table: Table = uncommented
        .join("\n")
        .parse()
        .expect("the examples are valid TOML");
    let mut expected = for_each_section!(section_fields);
    expected.push((
        ChannelDeclaration::LIST,
        field_names::<ChannelDeclaration>(),
    ));
    expected.push((TokenDeclaration::LIST, field_names::<TokenDeclaration>()));
    expected.push((PriceDeclaration::LIST, field_names::<PriceDeclaration>()));
    expected.push((OidcDeclaration::LIST, field_names::<OidcDeclaration>()));
    for (name, fields) in &expected {
        let section = name
            .split('.')
            .try_fold(&table, |table, part| match table.get(part)? {
                toml::Value::Array(entries) => entries.first()?.as_table(),
                value => value.as_table(),
            });
        let written: Vec<&str> = section
            .unwrap_or_else(|| panic!("[{name}] is not in the reference"))
            .keys()
            .map(String::as_str)
            .collect();
        let mut fields = fields.to_vec();
        let mut written = written;
        fields.sort_unstable();
        written.sort_unstable();
        assert_eq!(written, fields, "[{name}]");
    }
}

#[test]
fn the_documentation_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    if std::env::var_os("MODELGATE_UPDATE").is_some() {
        std::fs::write(&path, render_documentation()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == render_documentation(),
        "docs/configuration.md is stale: run `make generate`"
    );
}

#[test]
fn later_sources_win_over_earlier_ones() {
    let file = "[server]\nlisten = \"127.0.0.1:1111\"\ngrace_s = 5";
    let environment = [("MODELGATE_SERVER__LISTEN", "127.0.0.1:2222")];
    let flags = Flags {
        listen: Some("127.0.0.1:3333".to_owned()),
        data: None,
    };
    let port = |config: Config| config.server.listen.port();
    assert_eq!(port(load("", &[], Flags::default()).unwrap()), 3000);
    assert_eq!(port(load(file, &[], Flags::default()).unwrap()), 1111);
    assert_eq!(
        port(load(file, &environment, Flags::default()).unwrap()),
        2222
    );
    let all = load(file, &environment, flags).unwrap();
    assert_eq!(all.server.grace_s, 5, "what only the file says stays");
    assert_eq!(port(all), 3333);
}

#[test]
fn a_file_that_comes_later_is_read_with_the_next_reload() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("modelgate.toml");
    let sources = Sources {
        later_file: Some(file.clone()),
        ..Sources::default()
    };
    let before = Config::load(&sources).unwrap();
    std::fs::write(&file, "[limits]\nrpm = 5").unwrap();
    assert_eq!(
        (
            before.limits.rpm,
            Config::load(&sources).unwrap().limits.rpm
        ),
        (0, 5)
    );
}

#[test]
fn the_environment_reads_numbers_lists_and_nested_sections() {
    let config = load(
        "",
        &[
            ("MODELGATE_SERVER__GRACE_S", "7"),
            ("MODELGATE_SERVER__TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1"),
            ("MODELGATE_PAYMENTS__STRIPE__SECRET_KEY", "12345678"),
            ("MODELGATE_PAYMENTS__SANDBOX__ENABLED", "true"),
            ("MODELGATE_TRAFFIC", "not a setting"),
        ],
        Flags::default(),
    )
    .unwrap();
    assert_eq!(config.server.grace_s, 7);
    assert_eq!(config.server.trusted_proxies.len(), 2);
    assert_eq!(config.stripe.secret_key.unwrap().expose(), "12345678");
    assert_eq!(config.sandbox.enabled, Some(true));
}

#[test]
fn every_problem_is_one_line_that_names_place_and_key() {
    let found = problems(
        "[server]\nlisen = \"x\"\ngrace_s = \"soon\"\n[databse]\nurl = \"x\"\n[billing]\nlease_s = 61\n\
         [payments.strip]\nsecret_key = \"x\"\n",
    );
    assert_eq!(
        found,
        [
            "modelgate.toml:2: server.lisen: unknown key; did you mean \"listen\"?",
            "modelgate.toml:3: server.grace_s: invalid type: string \"soon\", expected a whole number, 0 or more",
            "modelgate.toml:5: databse.url: unknown section [databse]; did you mean \"database\"?",
            "modelgate.toml:7: billing.lease_s: must be between 1 and 60",
            "modelgate.toml:9: payments.strip.secret_key: unknown section [payments.strip]; \
             did you mean \"payments.stripe\"?",
        ]
    );
}

#[test]
fn a_file_that_is_not_toml_is_named_with_its_line() {
    let found = problems("[server]\nlisten = \n");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("modelgate.toml:2: "), "{found:?}");
}

#[test]
fn a_variable_with_one_underscore_too_few_is_not_ignored() {
    let variables = [
        ("MODELGATE_DATABASE_URL", "postgres://x"),
        ("MODELGATE_SERVER__LISEN", "x"),
    ];
    let found = load("", &variables, Flags::default()).unwrap_err();
    let found: Vec<String> = found.0.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "environment MODELGATE_DATABASE_URL: two underscores stand between section and key: \
             MODELGATE_DATABASE__URL",
            "environment MODELGATE_SERVER__LISEN: server.lisen: unknown key; did you mean \"listen\"?",
        ]
    );
}

#[test]
fn declarations_are_read_and_their_keys_come_from_the_environment() {
    let text = r#"
        [[channels]]
        name = "vllm"
        type = "openai"
        base_url = "http://127.0.0.1:8000/v1"
        key_env = "VLLM_KEY"
        models = ["llama-4", "fast=llama-4-mini"]
        dialects = ["chat"]
        [[tokens]]
        name = "ci"
        key = "sk-0123456789abcdef"
        [[prices]]
        model = "llama-4"
        input = "0.10"
        output = "0.40"
        hosted_tools = { web_search_requests = "0.01" }
    "#;
    let config = load(text, &[("VLLM_KEY", "secret-key")], Flags::default()).unwrap();
    assert_eq!(
        config.channels[0].key.as_ref().unwrap().expose(),
        "secret-key"
    );
    assert_eq!(config.prices[0].output.unwrap().nanos(), 400_000_000);
    let searches = config.prices[0].hosted_tools["web_search_requests"];
    assert_eq!(searches.nanos(), 10_000_000);
    assert_eq!(config.tokens[0].user, None);
    assert!(!format!("{config:?}").contains("secret-key"));
    let found = load(text, &[], Flags::default()).unwrap_err().to_string();
    assert_eq!(
        found,
        "modelgate.toml:6: channels[0].key_env: the environment variable VLLM_KEY is not set"
    );
}

#[test]
fn bad_declarations_are_refused_by_name() {
    let found = problems(
        "[[channels]]\nname = \"a\"\ntype = \"openai\"\nmodels = [\"m\"]\nbase_ur = \"x\"\n\
         [[channels]]\nname = \"a\"\ntype = \"openai\"\nmodels = [\"m\"]\ndialects = [\"chats\"]\n\
         [[channels]]\nname = \"a\"\ntype = \"openai\"\nmodels = [\"m\"]\n\
         [[tokens]]\nname = \"t\"\nkey = \"short\"\n[[price]]\nmodel = \"m\"\n\
         [[prices]]\nmodel = \"m\"\nper_call = \"9999\"\n",
    );
    let expected = [
        "modelgate.toml:5: channels[0].base_ur: unknown key; did you mean \"base_url\"?",
        "modelgate.toml:10: channels[1].dialects: \"chats\" is not one of",
        "modelgate.toml:12: channels[2].name: \"a\" is declared twice",
        "modelgate.toml:17: tokens[0].key: a token has 16 to 256 visible characters",
        "modelgate.toml:18: price: unknown list [[price]]; did you mean \"prices\"?",
        "modelgate.toml:22: prices[0].per_call: must be below 9223 dollars",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn a_value_of_the_wrong_type_in_a_declaration_is_named_with_its_line() {
    let found = problems(
        "[[channels]]\nname = \"a\"\ntype = \"openai\"\nmodels = [\"m\"]\npriority = \"high\"\n\
         [[channels]]\nname = \"b\"\ntype = \"openai\"\nmodels = \"m\"\n\
         [[channels]]\ntype = \"openai\"\nmodels = [\"m\"]\n\
         [[channels]]\nname = \"c\"\ntype = \"openai\"\nmodels = [\"m\"]\nlimits = { rpm = -1 }\n",
    );
    assert_eq!(
        found,
        [
            "modelgate.toml:5: channels[0].priority: invalid type: string \"high\", expected a whole number",
            "modelgate.toml:9: channels[1].models: invalid type: string \"m\", expected a list",
            "modelgate.toml:10: channels[2]: missing field `name`",
            "modelgate.toml:17: channels[3].limits.rpm: invalid value: integer `-1`, \
             expected a whole number from 0 to 4294967295",
        ]
    );
}

#[test]
fn an_address_to_listen_on_is_shown_as_it_should_be() {
    let found = problems("[server]\nlisten = \"localhost:3000\"\n");
    assert_eq!(
        found,
        ["modelgate.toml:2: server.listen: expected an address and a port like \"127.0.0.1:3000\""]
    );
}

#[test]
fn an_encrypted_redis_is_refused_at_once() {
    let found = problems("[redis]\nurl = \"rediss://cache.example\"\n");
    assert_eq!(
        found,
        [
            "modelgate.toml:2: redis.url: rediss:// is not supported: use redis:// through a tunnel, or beside the nodes"
        ]
    );
}

#[test]
fn the_shown_configuration_names_origins_and_hides_secrets() {
    let variables = [("MODELGATE_DATABASE__URL", "postgres://u:hunter2@h/d")];
    let config = load("[server]\ngrace_s = 9", &variables, Flags::default()).unwrap();
    let shown = show(&config);
    assert!(
        shown.contains("grace_s = 9  # modelgate.toml:2\n"),
        "{shown}"
    );
    assert!(
        shown.contains("url = \"[secret]\"  # environment MODELGATE_DATABASE__URL\n"),
        "{shown}"
    );
    assert!(shown.contains("body_bytes = 67108864\n"), "{shown}");
    assert!(!shown.contains("hunter2"));
}

#[test]
fn a_reload_tells_what_changes_now_and_what_waits_for_a_restart() {
    let old = Config::from_text("[log]\nlevel = \"info\"\n[limits]\nrpm = 5").unwrap();
    let new = Config::from_text(
        "[log]\nlevel = \"debug\"\n[limits]\nrpm = 5\n[server]\nlisten = \"127.0.0.1:4000\"\n\
         [[prices]]\nmodel = \"m\"\ninput = \"1\"",
    )
    .unwrap();
    let found = changes(&old, &new);
    assert_eq!(found.live, ["log.level", "prices"]);
    assert_eq!(found.needs_restart, ["server.listen"]);
    assert!(changes(&old, &old).is_empty());
}

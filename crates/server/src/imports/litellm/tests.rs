//! A configuration as LiteLLM's own documentation shows them, and files that are none.

use std::fmt::Write as _;

use super::plan;
use crate::imports::report::{Effect, Findings};

const CONFIGURATION: &str = r#"
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/my-deployment
      api_base: https://eu.openai.azure.com/
      api_key: os.environ/AZURE_KEY
      api_version: "2024-10-21"
      rpm: 6
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: sk-plain
      temperature: 0.2
  - model_name: local
    litellm_params: {model: hosted_vllm/llama, api_base: "http://10.0.0.5:8000/v1"}
  - model_name: cloud
    litellm_params: &aws
      model: bedrock/anthropic.claude-3
      aws_access_key_id: AKIA1
      aws_secret_access_key: secret
      aws_region_name: eu-west-1
  - model_name: "*"
    litellm_params: {model: "openai/*"}
  - model_name: "groq/*"
    litellm_params: {model: "groq/*", api_key: gsk}
  - model_name: "eu.*.claude"
    litellm_params: {model: "bedrock/eu.*.claude"}
  - model_name: one
    litellm_params: {model: "openai/*"}
  - model_name: odd
    litellm_params: {model: sagemaker/x}
  - model_name: half
router_settings:
  model_group_alias: {"gpt-4": "gpt-4o", "lost": "nobody-*", "quick": "groq/llama-4"}
  routing_strategy: simple-shuffle
general_settings:
  master_key: sk-1234
litellm_settings:
  drop_params: true
"#;

#[test]
fn every_deployment_becomes_a_channel_or_a_note() {
    let mut findings = Findings::default();
    let environment = |name: &str| (name == "AZURE_KEY").then(|| "azure-secret".to_owned());
    let plan = plan(CONFIGURATION, &environment, &mut findings).unwrap();
    let channels = &plan.channels;
    assert_eq!(channels.len(), 6);
    let azure = &channels[0];
    assert_eq!(
        (azure.provider.as_str(), azure.base_url.as_str(), azure.rpm),
        (
            "azure",
            "https://eu.openai.azure.com?api-version=2024-10-21",
            Some(6)
        )
    );
    assert_eq!(azure.keys[0].expose(), "azure-secret");
    assert_eq!(azure.mapping["gpt-4o"], "my-deployment");
    assert_eq!(azure.mapping["gpt-4"], "my-deployment");
    assert_eq!(channels[1].models, ["gpt-4o", "gpt-4"]);
    assert_eq!(
        channels[1].mapping.len(),
        1,
        "its own name needs no mapping"
    );
    assert_eq!(channels[2].base_url, "http://10.0.0.5:8000/v1");
    assert!(
        channels[3].keys[0]
            .expose()
            .contains("\"region\":\"eu-west-1\"")
    );

    assert_eq!(channels[4].models, ["*"]);
    assert!(channels[4].mapping.is_empty(), "as it is asked for");
    assert_eq!(channels[5].models, ["groq/*", "quick"]);
    let priorities = [4, 5, 0].map(|index| channels[index].priority);
    assert_eq!(priorities, [-1_000, -995, 0], "the nearest first, as there");
    assert_eq!(channels[5].mapping["groq/*"], "*");
    assert_eq!(channels[5].mapping["quick"], "llama-4");

    let again = super::plan(CONFIGURATION, &environment, &mut Findings::default()).unwrap();
    let ids = |plan: &crate::imports::plan::Plan| -> Vec<String> {
        plan.channels
            .iter()
            .map(|one| one.foreign_id.clone())
            .collect()
    };
    assert_eq!(ids(&plan), ids(&again));

    assert_eq!(findings.count("channels").left_out, 4);
    let notes = findings.notes.into_list();
    let has = |words: &str, item: &str| {
        notes.iter().any(|note| {
            note.reason.contains(words) && note.items.iter().any(|one| one.contains(item))
        })
    };
    assert!(has("patterns have one", "eu.*.claude"));
    assert!(has("patterns have one", "one (openai/*)"));
    assert!(has("no provider here", "sagemaker"));
    assert!(has("master key", "general_settings.master_key"));
    assert!(has("`temperature`", "gpt-4o"));
    assert!(has("not carried over", "litellm_settings.drop_params"));
    assert!(has("an alias", "lost"));
    assert!(
        notes
            .iter()
            .all(|note| !format!("{note:?}").contains("sk-1234"))
    );
}

#[test]
fn a_variable_that_is_not_set_is_said() {
    let mut findings = Findings::default();
    let plan = plan(CONFIGURATION, &|_| None, &mut findings).unwrap();
    assert!(plan.channels[0].keys.is_empty());
    let notes = findings.notes.into_list();
    let note = notes
        .iter()
        .find(|note| note.reason.contains("environment"))
        .unwrap();
    assert_eq!(
        (note.effect, note.items[0].as_str()),
        (Effect::Attention, "gpt-4o: AZURE_KEY")
    );
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    // Doubling eight times a line, this would be more text than there is memory.
    let mut bomb = "a: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..14 {
        let before = format!("*a{}", level - 1);
        let list = vec![before; 8].join(", ");
        writeln!(bomb, "b{level}: &a{level} [{list}]").unwrap();
    }
    for (text, words) in [
        ("", "no `model_list`"),
        ("- a\n- b\n", "no `model_list`"),
        ("model_list: 5", "is no list"),
        ("model_list: [", "not YAML"),
        ("a: \"\u{0}\"", "not YAML"),
        (bomb.as_str(), "not YAML"),
    ] {
        let refused = plan(text, &|_| None, &mut Findings::default()).unwrap_err();
        assert!(refused.to_string().contains(words), "{words}: {refused}");
    }
    let deep = format!("model_list: {}{}", "[".repeat(60), "]".repeat(60));
    assert!(plan(&deep, &|_| None, &mut Findings::default()).is_err());
}

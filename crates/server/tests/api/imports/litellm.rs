//! LiteLLM's configuration: a channel for each deployment, without reaching into the environment.

use serde_json::json;

use super::office::{Gate, count, has_note};

const CONFIGURATION: &str = "
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o-2024-11-20
      api_key: sk-of-the-vendor
      rpm: 100
  - model_name: claude
    litellm_params:
      model: anthropic/claude-sonnet-4
      api_key: os.environ/PATH
  - model_name: house
    litellm_params:
      model: hosted_vllm/llama
      api_base: http://10.0.0.5:8000/v1
router_settings:
  model_group_alias: {best: gpt-4o}
general_settings:
  master_key: sk-1234
";

#[test]
fn deployments_become_channels_once_and_can_be_taken_out() {
    let gate = Gate::open();
    let before = gate.look();
    let report = gate.import("litellm", "", CONFIGURATION.as_bytes());
    assert_eq!(count(&report, "channels"), [3, 3, 0, 0]);
    assert!(
        has_note(&report, "master key", "general_settings.master_key"),
        "{report}"
    );
    assert!(
        has_note(&report, "variable of the environment", "claude: PATH"),
        "{report}"
    );
    assert!(
        has_note(&report, "no key that can be used", "claude"),
        "{report}"
    );
    let list = gate.office.root.get("/api/channel/").data();
    let items = list["items"].as_array().expect("a list");
    let channel = |name: &str| {
        items
            .iter()
            .find(|one| one["name"] == name)
            .expect("a channel")
    };
    let gpt = channel("gpt-4o");
    assert_eq!(
        (&gpt["type"], &gpt["key_count"], &gpt["limits"]["rpm"]),
        (&json!("openai"), &json!(1), &json!(100))
    );
    let names = json!(["gpt-4o=gpt-4o-2024-11-20", "best=gpt-4o-2024-11-20"]);
    assert_eq!(gpt["models"], names);
    assert_eq!(gpt["model_mapping"]["best"], "gpt-4o-2024-11-20");
    assert_eq!(
        (&channel("claude")["state"], &channel("house")["state"]),
        (&json!("off"), &json!("on"))
    );
    let after = gate.look();
    let again = gate.import("litellm", "", CONFIGURATION.as_bytes());
    assert_eq!(
        (gate.look(), count(&again, "channels")),
        (after, [3, 0, 3, 0])
    );
    gate.undo(&report["import_id"]);
    assert_eq!(gate.look(), before);
}

// Which provider a pasted key or address belongs to, as far as its beginning tells. A guess: whoever
// pastes may choose another.

/** Beginnings of keys that one vendor alone gives out; the longest that fits counts. */
const KEY_PREFIXES: readonly (readonly [string, string])[] = [
  ["sk-ant-", "anthropic"],
  ["sk-or-", "openrouter"],
  ["sk-proj-", "openai"],
  ["sk-svcacct-", "openai"],
  ["sk-", "openai"],
  ["AIza", "google"],
  ["gsk_", "groq"],
  ["xai-", "xai"],
  ["nvapi-", "nvidia"],
  ["hf_", "huggingface"],
  ["pplx-", "perplexity"],
  ["fw_", "fireworks"],
  ["csk-", "cerebras"],
  ["jina_", "jina"],
  ["pa-", "voyage"],
  ["ghp_", "github-models"],
  ["github_pat_", "github-models"],
  ["AKIA", "bedrock"],
  ["ABSK", "bedrock"],
  ["ms-", "modelscope"],
];

export interface Detected {
  type: string;
  /** What was pasted: goes into the form at once. */
  key?: string;
  base_url?: string;
}

interface KnownProvider {
  id: string;
  base_url: string;
}

/** The provider and what to fill in; nothing where the text says nothing. */
export function detect(pasted: string, providers: readonly KnownProvider[]): Detected | undefined {
  const text = pasted.trim();
  if (/^https?:\/\//i.test(text)) {
    return detectAddress(text, providers);
  }
  if (text.startsWith("{") && text.includes('"private_key"')) {
    return { type: "vertex", key: text };
  }
  const fitting = KEY_PREFIXES.filter(
    ([prefix, type]) => text.startsWith(prefix) && providers.some(({ id }) => id === type),
  );
  const [best] = fitting.sort(([left], [right]) => right.length - left.length);
  return best === undefined ? undefined : { type: best[1], key: text };
}

function detectAddress(text: string, providers: readonly KnownProvider[]): Detected | undefined {
  const host = hostOf(text);
  if (host === undefined) {
    return undefined;
  }
  if (/\.openai\.azure\.com$|\.cognitiveservices\.azure\.com$/.test(host)) {
    return { type: "azure", base_url: text };
  }
  if (/^bedrock-runtime\..*\.amazonaws\.com$/.test(host)) {
    return { type: "bedrock", base_url: text };
  }
  const same = providers.filter(({ base_url }) => hostOf(base_url) === host);
  const [known] = same;
  if (known !== undefined && same.length === 1) {
    return known.base_url === text.replace(/\/$/, "")
      ? { type: known.id }
      : { type: known.id, base_url: text };
  }
  // Most self-hosted servers speak the same words as OpenAI's.
  return { type: "openai", base_url: text };
}

/** Host and port; nothing where the text is no address. */
function hostOf(address: string): string | undefined {
  try {
    return new URL(address).host.toLowerCase();
  } catch {
    return undefined;
  }
}

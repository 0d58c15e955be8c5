import type { SpotlightActionData } from "@mantine/spotlight";

/** What a search has found so far. */
export interface Found {
  actions: SpotlightActionData[];
  /** True while there is more to come for what was searched. */
  isSearching: boolean;
}

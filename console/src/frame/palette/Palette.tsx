// The command palette: pages, records by id or name, actions, theme and language.

import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCommands } from "./useCommands";
import { useDrain } from "./useDrain";
import { useEnter } from "./useEnter";
import { useRecords } from "./useRecords";

const [store, palette] = createSpotlight();
const TYPING_MS = 200;

export interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

export default function Palette({ isOpen, onClose }: PaletteProps) {
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const [settled] = useDebouncedValue(query, TYPING_MS);
  const [isDraining, setDraining] = useState(false);
  const commands = useCommands({
    onDrain: () => {
      setQuery("");
      setDraining(true);
    },
  });
  const [isAwaited, setAwaited] = useState(false);
  const search = (isAwaited ? query : settled).trim();
  const records = useRecords(search);
  const channels = useDrain(search, isDraining);
  const isBehind = search !== query.trim() || records.isSearching || channels.isSearching;
  const enter = useEnter({ isAwaited, setAwaited, isBehind });
  useEffect(() => {
    if (isOpen) {
      palette.open();
    }
  }, [isOpen]);
  const actions: SpotlightActionGroupData[] = isDraining
    ? [{ group: t("palette.drain"), actions: channels.actions }]
    : [{ group: t("palette.records"), actions: records.actions }, ...commands];
  const placeholder = t(isDraining ? "palette.drainWhich" : "palette.placeholder");
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={(typed) => {
        setQuery(typed);
        enter.onTyped();
      }}
      onSpotlightClose={() => {
        setDraining(false);
        onClose();
      }}
      actions={actions}
      // Records were found by the server, which knows more of them than their names.
      filter={(typed, all) => keepMatching(typed, all as SpotlightActionGroupData[], isDraining)}
      nothingFound={t("palette.nothing")}
      highlightQuery
      scrollable
      maxHeight={420}
      attributes={{ content: { "aria-label": t("frame.openPalette") } }}
      searchProps={{
        onKeyDownCapture: enter.onKeyDownCapture,
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder,
        "aria-label": placeholder,
      }}
    />
  );
}

/** An act on a channel must not hit one that was listed before the last letters were typed. */
function keepMatching(
  typed: string,
  groups: readonly SpotlightActionGroupData[],
  isByNameAlone: boolean,
) {
  const wanted = typed.trim().toLowerCase();
  return groups
    .map((group, index) => ({
      ...group,
      actions:
        index === 0 && !isByNameAlone
          ? group.actions
          : group.actions.filter(({ label }) => String(label).toLowerCase().includes(wanted)),
    }))
    .filter(({ actions }) => actions.length > 0);
}

// The first step of a new channel: whose models. What is pasted chooses by itself where it can.

import { Alert, Group, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconClipboard, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "./api";
import classes from "./channels.module.css";
import { type Detected, detect } from "./detect";
import { ProviderMark } from "./ProviderMark";

/** Those that most people look for, first. */
const COMMON = ["demo", "openai", "anthropic", "google", "azure", "bedrock", "ollama"];

export interface ProviderTilesProps {
  providers: readonly Provider[];
  onChoose: (detected: Detected) => void;
}

export function ProviderTiles({ providers, onChoose }: ProviderTilesProps) {
  const { t } = useTranslation();
  const [sought, setSought] = useState("");
  const words = sought.trim().toLowerCase();
  const shown = ordered(providers).filter(
    ({ id, label }) => id.includes(words) || label.toLowerCase().includes(words),
  );
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <PasteBox providers={providers} onChoose={onChoose} />
        <TextInput
          label={t("channels.new.search")}
          leftSection={<IconSearch size={16} />}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          type="search"
        />
      </SimpleGrid>
      {shown.length === 0 && <Text c="dimmed">{t("channels.new.noProvider")}</Text>}
      <ul className={classes.tiles} aria-label={t("channels.new.providers")}>
        {shown.map((provider) => (
          <li key={provider.id}>
            <UnstyledButton
              className={classes.tile}
              onClick={() => onChoose({ type: provider.id })}
            >
              <Group gap="sm" wrap="nowrap">
                <ProviderMark label={provider.label} />
                <div style={{ minWidth: 0 }}>
                  <Text size="sm" fw={600}>
                    {provider.label}
                  </Text>
                  <Text size="xs" c="dimmed" truncate>
                    {addressOf(provider, t("channels.new.ownAddress"), t("channels.new.builtIn"))}
                  </Text>
                </div>
              </Group>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function addressOf(provider: Provider, own: string, builtIn: string): string {
  if (provider.id === "demo") {
    return builtIn;
  }
  return provider.base_url === "" ? own : provider.base_url.replace(/^https?:\/\//, "");
}

function ordered(providers: readonly Provider[]): Provider[] {
  const rank = ({ id }: Provider) => (COMMON.includes(id) ? COMMON.indexOf(id) : COMMON.length);
  return [...providers].sort(
    (left, right) => rank(left) - rank(right) || left.label.localeCompare(right.label),
  );
}

function PasteBox({ providers, onChoose }: ProviderTilesProps) {
  const { t } = useTranslation();
  const [unknown, setUnknown] = useState(false);
  return (
    <Stack gap="xs">
      <TextInput
        label={t("channels.new.paste")}
        description={t("channels.new.pasteText")}
        leftSection={<IconClipboard size={16} />}
        autoComplete="off"
        value=""
        onChange={(event) => {
          const found = detect(event.currentTarget.value, providers);
          setUnknown(found === undefined);
          if (found !== undefined) {
            onChoose(found);
          }
        }}
      />
      {unknown && (
        <Alert color="yellow" variant="light" role="status">
          {t("channels.new.pasteUnknown")}
        </Alert>
      )}
    </Stack>
  );
}

// The code panel: the request that is sent, as a program. It can also write the same conversation for
// another dialect, and says so when it does.

import { Alert, Button, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconInfoCircle, IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { failureToast } from "@/ui/toast";
import { type CodeLanguage, codeFor, KEY_VARIABLE, LANGUAGES } from "../code/code";
import { chatDialect } from "../model/endpoints";
import { ANY_CHANNEL, type Settings } from "../model/settings";
import { type CallInput, prepare } from "../request/prepare";
import { makeKey } from "../send/api";
import { CodeBlock } from "./CodeBlock";

export interface CodeDrawerProps {
  onClose: () => void;
  settings: Settings;
  input: CallInput;
}

const LANGUAGE_NAME = { curl: "cURL", python: "Python", typescript: "TypeScript" } as const;

export default function CodeDrawer({ onClose, settings, input }: CodeDrawerProps) {
  const { t } = useTranslation();
  return (
    <DetailDrawer isOpen onClose={onClose} title={t("playground.code.title")} size="xl">
      <CodePanel settings={settings} input={input} />
    </DetailDrawer>
  );
}

function CodePanel({ settings, input }: Pick<CodeDrawerProps, "settings" | "input">) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const sent = chatDialect(settings.endpoint);
  const [style, setStyle] = useState(sent);
  const [key, setKey] = useState(KEY_VARIABLE);
  const endpoint = sent === undefined ? settings.endpoint : (style ?? sent);
  const request = prepare({ ...settings, endpoint }, input);
  const code = codeFor(language, request, window.location.origin, key);
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={t("playground.code.language")}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAME[value] }))}
        value={language}
        onChange={(value) => setLanguage(value as CodeLanguage)}
      />
      {sent !== undefined && (
        <SegmentedControl
          size="xs"
          aria-label={t("playground.code.style")}
          data={STYLES}
          value={style ?? sent}
          onChange={(value) => setStyle(value as typeof sent)}
        />
      )}
      {endpoint === settings.endpoint ? (
        <Text size="sm" c="dimmed">
          {t("playground.code.same")}
        </Text>
      ) : (
        <Alert variant="light" icon={<IconInfoCircle />} p="xs">
          <Text size="sm">{t("playground.code.other")}</Text>
        </Alert>
      )}
      {settings.channel !== ANY_CHANNEL && (
        <Alert variant="light" icon={<IconInfoCircle />} p="xs">
          <Text size="sm">{t("playground.channel.code")}</Text>
        </Alert>
      )}
      {code === undefined ? (
        <Text size="sm">{t("playground.code.noSocket")}</Text>
      ) : (
        <CodeBlock text={code} shown={shortened(code)} language={language} />
      )}
      <KeyButton isInserted={key !== KEY_VARIABLE} onKey={setKey} />
    </Stack>
  );
}

const STYLES = [
  { value: "chat", label: "OpenAI" },
  { value: "responses", label: "Responses" },
  { value: "messages", label: "Anthropic" },
  { value: "generate", label: "Gemini" },
];

/** Files in base64 are cut for the eye; what is copied is whole. */
function shortened(code: string): string {
  return code.replace(
    /[A-Za-z0-9+/]{400,}={0,2}/g,
    (data) => `${data.slice(0, 40)}…${data.slice(-8)}`,
  );
}

function KeyButton({ isInserted, onKey }: { isInserted: boolean; onKey: (key: string) => void }) {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  if (isInserted) {
    return (
      <Alert color="yellow" variant="light" icon={<IconKey />}>
        <Text size="sm">{t("playground.code.keyInserted")}</Text>
      </Alert>
    );
  }
  const make = async () => {
    setMaking(true);
    try {
      onKey(await makeKey(t("playground.code.keyName")));
    } catch (error) {
      failureToast(error);
    }
    setMaking(false);
  };
  return (
    <Stack gap={4} align="flex-start">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconKey size={15} />}
        loading={isMaking}
        onClick={() => void make()}
      >
        {t("playground.code.makeKey")}
      </Button>
      <Text size="xs" c="dimmed">
        {t("playground.code.variable", { name: KEY_VARIABLE })}
      </Text>
    </Stack>
  );
}

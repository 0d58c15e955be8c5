import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { FormFailure } from "@/ui/form/FormFailure";
import { PageHead } from "@/ui/PageHead";
import { firstChannel } from "./api";
import { ProviderForm } from "./ProviderForm";
import { TestSteps } from "./TestSteps";

type Source = "demo" | "provider" | "import";

export interface SourceStepProps {
  /** Makes the root user; with the demo channel or without. */
  onClaim: (isDemo: boolean) => Promise<void>;
  onBack: () => void;
  onDone: (channel: Schema<"Channel">) => void;
}

/** Where answers come from. The choice sets the gateway up; then the channel is tested at once. */
export function SourceStep({ onClaim, onBack, onDone }: SourceStepProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [source, setSource] = useState<Source>("demo");
  const [isClaimed, setClaimed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const [channel, setChannel] = useState<Schema<"Channel">>();
  const choose = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onClaim(source === "demo");
      setClaimed(true);
      if (source === "demo") {
        setChannel(await firstChannel());
      } else if (source === "import") {
        await navigate({ to: "/console/settings/import" });
      }
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  if (channel !== undefined) {
    return <Tested channel={channel} onDone={() => onDone(channel)} />;
  }
  if (isClaimed && source === "provider") {
    return <ProviderForm onMade={setChannel} />;
  }
  return (
    <Stack gap="md">
      <PageHead title={t("setup.sourceTitle")} description={t("setup.sourceText")} />
      <Radio.Group
        value={source}
        onChange={(value) => setSource(value as Source)}
        aria-label={t("setup.sourceTitle")}
      >
        <Stack gap="xs">
          <SourceCard value="demo" title={t("setup.demo")} text={t("setup.demoText")} />
          <SourceCard value="provider" title={t("setup.provider")} text={t("setup.providerText")} />
          <SourceCard value="import" title={t("setup.import")} text={t("setup.importText")} />
        </Stack>
      </Radio.Group>
      <FormFailure failure={failure} />
      <Group justify="space-between">
        <Button variant="subtle" color="gray" onClick={onBack}>
          {t("setup.back")}
        </Button>
        <Button loading={isBusy} onClick={() => void choose()}>
          {t("setup.continue")}
        </Button>
      </Group>
    </Stack>
  );
}

function SourceCard({ value, title, text }: { value: Source; title: string; text: string }) {
  return (
    <Radio.Card value={value} p="md" aria-label={title}>
      <Group wrap="nowrap" align="flex-start">
        <Radio.Indicator />
        <div>
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}

function Tested({ channel, onDone }: { channel: Schema<"Channel">; onDone: () => void }) {
  const { t } = useTranslation();
  const [isOver, setOver] = useState(false);
  return (
    <Stack gap="md">
      <PageHead title={t("setup.testTitle")} description={t("setup.testText")} />
      <TestSteps trial={{ id: channel.id }} onOver={() => setOver(true)} />
      <Group justify="flex-end">
        <Button disabled={!isOver} onClick={onDone}>
          {t("setup.continue")}
        </Button>
      </Group>
    </Stack>
  );
}

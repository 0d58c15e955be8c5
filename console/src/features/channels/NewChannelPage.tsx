// A new channel in four steps: whose models, the key, a test, which models. Nothing is stored before
// the last one.

import { Button, Group, Paper, Stack, Stepper } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { type Provider, providersQuery } from "./api";
import { CredentialStep } from "./CredentialStep";
import { spreadKey } from "./credentials";
import type { Detected } from "./detect";
import { ModelsStep } from "./ModelsStep";
import { ProviderTiles } from "./ProviderTiles";
import { TestStep } from "./TestStep";
import { useWizard, type WizardState } from "./useWizard";

interface NewChannelSearch {
  /** The chosen provider's id. */
  type?: string;
}

export function NewChannelPage() {
  const { t } = useTranslation();
  const providers = useQuery(providersQuery);
  return (
    <Stack gap="lg">
      <PageHead title={t("channels.new.title")} description={t("channels.new.text")} />
      <DataRegion query={providers} skeletonHeight={420}>
        {(all) => <Wizard providers={all} />}
      </DataRegion>
    </Stack>
  );
}

function Wizard({ providers }: { providers: readonly Provider[] }) {
  const { t } = useTranslation();
  const [{ type }, setSearch] = useUrlState<NewChannelSearch>();
  const provider = providers.find(({ id }) => id === type);
  const wizard = useWizard(provider);
  const choose = ({ type: chosen, key, base_url }: Detected) => {
    const fields = providers.find(({ id }) => id === chosen)?.credential_fields ?? [];
    wizard.begin(base_url ?? "", key === undefined ? {} : spreadKey(fields, key), chosen);
    setSearch({ type: chosen }, { push: true });
  };
  const step = provider === undefined ? 0 : wizard.step;
  return (
    <Stack gap="lg">
      <Stepper
        active={step}
        size="sm"
        onStepClick={(next) => (next === 0 ? setSearch({ type: undefined }) : wizard.goTo(next))}
      >
        <Stepper.Step label={t("channels.new.stepProvider")} />
        <Stepper.Step label={t("channels.new.stepKey")} allowStepSelect={step > 1} />
        <Stepper.Step label={t("channels.new.stepTest")} allowStepSelect={step > 2} />
        <Stepper.Step label={t("channels.new.stepModels")} allowStepSelect={false} />
      </Stepper>
      {provider === undefined ? (
        <ProviderTiles providers={providers} onChoose={choose} />
      ) : (
        <Paper withBorder p="lg" maw={860}>
          <WizardStep provider={provider} wizard={wizard} />
        </Paper>
      )}
    </Stack>
  );
}

function WizardStep({ provider, wizard }: { provider: Provider; wizard: WizardState }) {
  const { t } = useTranslation();
  switch (wizard.step) {
    case 1:
      return (
        <CredentialStep
          provider={provider}
          form={wizard.form}
          values={wizard.values}
          errors={wizard.errors}
          onValues={wizard.setValues}
          onTest={wizard.test}
        />
      );
    case 2:
      return (
        <Stack gap="lg">
          <TestStep wizard={wizard} />
          <Group justify="space-between">
            <Button variant="default" onClick={() => wizard.goTo(1)}>
              {t("channels.new.back")}
            </Button>
            <Button
              variant={wizard.run.verdict?.success === true ? "filled" : "default"}
              disabled={wizard.run.isRunning}
              onClick={() => wizard.goTo(3)}
            >
              {wizard.run.verdict?.success === true
                ? t("channels.new.toModels")
                : t("channels.new.toModelsAnyway")}
            </Button>
          </Group>
        </Stack>
      );
    default:
      return <ModelsStep wizard={wizard} />;
  }
}

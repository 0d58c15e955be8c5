// A new channel in four steps: whose models, the key, a test, which models. Nothing is stored before
// the last one.

import { Button, Group, Paper, Stack, Stepper } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { toast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { createChannel, fetchModels, type Provider, providersQuery, type Trial } from "./api";
import { CredentialStep } from "./CredentialStep";
import { composeKey, missingFields, spreadKey } from "./credentials";
import type { Detected } from "./detect";
import { type Draft, emptyDraft, settingsOf } from "./draft";
import { ModelsStep } from "./ModelsStep";
import { isJsonObject } from "./overrides";
import { ProviderTiles } from "./ProviderTiles";
import { TestStep } from "./TestStep";
import { useChannelTest } from "./useChannelTest";
import { useRefreshChannels } from "./useRefreshChannels";

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

/** What the steps share. */
export type WizardState = ReturnType<typeof useWizard>;

function useWizard(provider: Provider | undefined) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefreshChannels();
  const [step, goTo] = useState(1);
  const [values, setValues] = useState<Record<string, string>>({});
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [available, setAvailable] = useState<readonly string[]>();
  const [model, setModel] = useState("");
  const asks = useRef(0);
  const run = useChannelTest();
  const form = useForm<Draft>({
    initialValues: emptyDraft(),
    validate: {
      name: (name) => (name.trim() === "" ? t("channels.required") : null),
      base_url: (address) =>
        provider?.base_url === "" && provider.id !== "demo" && address.trim() === ""
          ? t("channels.new.needsAddress")
          : null,
      overrides: {
        body: (body) => (isJsonObject(body) ? null : t("channels.notJson")),
        demo: (demo) => (isJsonObject(demo) ? null : t("channels.notJson")),
      },
    },
  });

  const trial = (): Trial => {
    const { name: _name, ...settings } = settingsOf(form.getValues());
    const key = composeKey(provider?.credential_fields ?? [], values);
    return { ...settings, type: provider?.id ?? null, key };
  };
  const begin = (base_url: string, given: Record<string, string>, type: string) => {
    form.setValues({ ...emptyDraft(), name: type, base_url });
    setValues(given);
    setErrors([]);
    setAvailable(undefined);
    setModel("");
    asks.current += 1;
    goTo(1);
  };
  const ask = async (asked: string) => {
    asks.current += 1;
    const turn = asks.current;
    let listed = available;
    if (listed === undefined && provider?.lists_models === true) {
      // Where the list cannot be had, the test's own steps say why.
      listed = (await fetchModels(trial()).catch(() => undefined))?.models ?? undefined;
      if (turn !== asks.current) {
        // Another test was begun while the list came.
        return;
      }
      setAvailable(listed);
    }
    const chosen = asked === "" ? (listed?.[0] ?? "") : asked;
    // What was typed meanwhile stays.
    setModel((typed) => (typed === "" ? chosen : typed));
    await run.run({ ...trial(), ...(chosen === "" ? {} : { model: chosen, models: [chosen] }) });
  };
  const test = () => {
    const missing = missingFields(provider?.credential_fields ?? [], values);
    setErrors(missing);
    if (!form.validate().hasErrors && missing.length === 0) {
      goTo(2);
      setAvailable(undefined);
      void ask(model);
    }
  };
  const save = async () => {
    const key = composeKey(provider?.credential_fields ?? [], values);
    const channel = await createChannel({
      ...settingsOf(form.getValues()),
      type: provider?.id ?? "",
      ...(key === "" ? {} : { key }),
    });
    toast(t("channels.saved", { name: channel.name }));
    await refresh();
    await navigate({ to: "/console/channels/$id", params: { id: String(channel.id) } });
  };
  const bag = { step, goTo, form, values, setValues, errors, begin, test, save };
  return { ...bag, provider, run, ask, model, setModel, available };
}

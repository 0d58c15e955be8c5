// What the steps of a new channel share: its draft, the test, and the models that the upstream lists.

import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/ui/toast";
import { createChannel, fetchModels, type Provider, type Trial } from "./api";
import { composeKey, missingFields } from "./credentials";
import { type Draft, emptyDraft, settingsOf } from "./draft";
import { isJsonObject } from "./overrides";
import { useChannelTest } from "./useChannelTest";
import { useRefreshChannels } from "./useRefreshChannels";

export type WizardState = ReturnType<typeof useWizard>;

export function useWizard(provider: Provider | undefined) {
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

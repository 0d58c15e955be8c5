// Makes keys: a name, or a name with limits; then the secrets, once; then how to use one. The secrets
// live in this drawer's state only.

import { Button, Group, NumberInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { RecipeTabs } from "@/recipes/RecipeTabs";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SecretOnce } from "@/ui/SecretOnce";
import { createKey, forgetKeys, type Key, keyQuery } from "./api";
import { KeyLimits } from "./KeyLimits";
import { EMPTY_KEY, inputOf, type KeyValues, valuesOf } from "./keyForm";
import { SecretList } from "./SecretList";
import { useKeyForm } from "./useKeyForm";

export interface NewKeyDrawerProps {
  /** Begin with the settings of this key. */
  copyOf: number | undefined;
  onClose: () => void;
}

export default function NewKeyDrawer({ copyOf, onClose }: NewKeyDrawerProps) {
  const { t } = useTranslation();
  const [made, setMade] = useState<readonly Key[]>([]);
  const [isSaved, setSaved] = useState(false);
  return (
    <DetailDrawer isOpen title={t("keys.new")} onClose={onClose}>
      <Step
        copyOf={copyOf}
        made={made}
        isSaved={isSaved}
        onMade={setMade}
        onSaved={() => setSaved(true)}
        onDone={onClose}
      />
    </DetailDrawer>
  );
}

interface StepProps {
  copyOf: number | undefined;
  made: readonly Key[];
  isSaved: boolean;
  onMade: (keys: Key[]) => void;
  onSaved: () => void;
  onDone: () => void;
}

function Step({ copyOf, made, isSaved, onMade, onSaved, onDone }: StepProps) {
  const { t } = useTranslation();
  const [first] = made;
  if (first === undefined) {
    return <Start copyOf={copyOf} onMade={onMade} />;
  }
  if (isSaved) {
    return (
      <Stack gap="md">
        <RecipeTabs secret={first.key ?? ""} />
        <Button onClick={onDone} style={{ alignSelf: "flex-end" }}>
          {t("keys.done")}
        </Button>
      </Stack>
    );
  }
  if (made.length > 1) {
    return <SecretList keys={made} onSaved={onSaved} />;
  }
  return (
    <SecretOnce
      secret={first.key ?? ""}
      label={t("keys.secret")}
      variable="MODELGATE_API_KEY"
      more={{ MODELGATE_BASE_URL: window.location.origin }}
      onSaved={onSaved}
    />
  );
}

/** Waits for the key whose settings are copied. */
function Start({ copyOf, onMade }: Pick<StepProps, "copyOf" | "onMade">) {
  const { t } = useTranslation();
  const source = useQuery({ ...keyQuery(copyOf ?? 0), enabled: copyOf !== undefined });
  if (copyOf === undefined || source.isError) {
    return <NewKeyForm initial={EMPTY_KEY} onMade={onMade} />;
  }
  if (source.data === undefined) {
    return null;
  }
  const name = t("keys.copyName", { name: source.data.name }).slice(0, 64);
  return <NewKeyForm initial={{ ...valuesOf(source.data), name }} hasLimits onMade={onMade} />;
}

interface NewKeyFormProps {
  initial: KeyValues;
  hasLimits?: boolean;
  onMade: (keys: Key[]) => void;
}

function NewKeyForm({ initial, hasLimits = false, onMade }: NewKeyFormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useKeyForm(initial);
  const [mode, setMode] = useState<"simple" | "limits">(hasLimits ? "limits" : "simple");
  const { isBusy, failure, submit } = useSubmit(form, createAll, (keys) => {
    void forgetKeys(client);
    onMade(keys);
  });
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack gap="md">
        <SegmentedControl
          value={mode}
          onChange={setMode}
          aria-label={t("keys.mode")}
          data={[
            { value: "simple", label: t("keys.simple") },
            { value: "limits", label: t("keys.limits") },
          ]}
        />
        <TextInput
          label={t("keys.name")}
          description={t("keys.nameText")}
          maxLength={64}
          data-autofocus
          {...form.getInputProps("name")}
        />
        {mode === "limits" && (
          <>
            <KeyLimits form={form} />
            <NumberInput
              label={t("keys.quantity")}
              description={t("keys.quantityText")}
              min={1}
              max={100}
              allowDecimal={false}
              {...form.getInputProps("quantity")}
            />
          </>
        )}
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("keys.create")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** One call for each key; the second and later ones get a number behind their name. */
async function createAll(values: KeyValues): Promise<Key[]> {
  const input = inputOf(values);
  const keys: Key[] = [];
  for (let number = 1; number <= Number(values.quantity || 1); number += 1) {
    const name = number === 1 ? input.name : `${input.name.slice(0, 60)} ${number}`;
    keys.push(await createKey({ ...input, name }));
  }
  return keys;
}

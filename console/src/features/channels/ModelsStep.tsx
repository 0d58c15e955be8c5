import { Button, Group, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { GroupsInput } from "./GroupsInput";
import { ModelPicker } from "./ModelPicker";
import { PriorityInput, WeightInput } from "./ShareInputs";
import type { WizardState } from "./useWizard";

/** Which models the new channel serves, for whom, and where it stands; then it is stored. */
export function ModelsStep({ wizard }: { wizard: WizardState }) {
  const { t } = useTranslation();
  const { form, available, goTo, save } = wizard;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const { models } = form.values;
  const submit = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await save();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="lg">
      <ModelPicker
        available={available}
        value={models}
        onChange={(chosen) => form.setFieldValue("models", chosen)}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <GroupsInput {...form.getInputProps("groups")} />
        <PriorityInput {...form.getInputProps("priority")} />
        <WeightInput {...form.getInputProps("weight")} />
      </SimpleGrid>
      <FormFailure failure={failure} />
      <Group justify="space-between">
        <Button variant="default" onClick={() => goTo(2)}>
          {t("channels.new.back")}
        </Button>
        <Button loading={isBusy} disabled={models.length === 0} onClick={() => void submit()}>
          {models.length === 0
            ? t("channels.new.chooseModel")
            : t("channels.new.save", { count: models.length })}
        </Button>
      </Group>
    </Stack>
  );
}

import { Accordion } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Draft } from "./draft";

const AdvancedForm = lazy(async () => ({ default: (await import("./AdvancedForm")).AdvancedForm }));

export interface AdvancedFieldsProps {
  form: UseFormReturnType<Draft>;
  /** Fault switches are shown for these only. */
  isDemo: boolean;
}

/** What few channels need, folded away. */
export function AdvancedFields(props: AdvancedFieldsProps) {
  const { t } = useTranslation();
  return (
    <Accordion variant="contained" keepMounted={false}>
      <Accordion.Item value="advanced">
        <Accordion.Control>{t("channels.advanced")}</Accordion.Control>
        <Accordion.Panel>
          <Suspense>
            <AdvancedForm {...props} />
          </Suspense>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

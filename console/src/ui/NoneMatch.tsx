import { Button } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { EmptyFirst } from "./EmptyFirst";

export interface NoneMatchProps {
  title: string;
  /** How the filter matches, where that is not plain. */
  text?: string;
  onClear: () => void;
}

/** A list that a filter left nothing of, and the way back to all of it. */
export function NoneMatch({ title, text, onClear }: NoneMatchProps) {
  const { t } = useTranslation();
  return (
    <EmptyFirst
      icon={IconFilterOff}
      title={title}
      text={text ?? t("region.otherFilters")}
      action={
        <Button variant="default" size="xs" onClick={onClear}>
          {t("action.clearFilters")}
        </Button>
      }
    />
  );
}

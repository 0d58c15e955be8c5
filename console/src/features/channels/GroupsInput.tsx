import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupsQuery } from "./api";

/** The groups that may use a channel; none chosen is all. */
export function GroupsInput(props: MultiSelectProps) {
  const { t } = useTranslation();
  const { data } = useQuery(groupsQuery);
  const known = data?.map(({ name }) => name) ?? [];
  return (
    <MultiSelect
      label={t("channels.field.groups")}
      description={t("channels.field.groupsText")}
      clearable
      {...props}
      data={[...new Set([...known, ...(props.value ?? [])])]}
    />
  );
}

import { Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyField } from "@/ui/CopyButton";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { Unknown } from "@/ui/Money";
import { Time } from "@/ui/Time";
import type { AuditEntry } from "./api";
import { fieldChanges } from "./fieldChanges";

export interface AuditDrawerProps {
  entry: AuditEntry | undefined;
  onClose: () => void;
}

/** One act with every field before and after. */
export function AuditDrawer({ entry, onClose }: AuditDrawerProps) {
  return (
    <DetailDrawer isOpen={entry !== undefined} title={entry?.action ?? ""} onClose={onClose}>
      {entry !== undefined && <Entry entry={entry} />}
    </DetailDrawer>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const changes = fieldChanges(entry.changes);
  return (
    <Stack gap="md">
      <Text size="sm">
        {entry.actor ?? t("audit.program")}
        {" · "}
        <Time at={entry.created_at} precision="second" />
        {" · "}
        {entry.object_kind} {entry.object_id}
        {" · "}
        {entry.outcome}
        {entry.ip !== null && ` · ${entry.ip}`}
      </Text>
      {changes.length === 0 ? (
        <Text c="dimmed">{t("audit.noFields")}</Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("audit.field")}</Table.Th>
              <Table.Th>{t("audit.before")}</Table.Th>
              <Table.Th>{t("audit.after")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ field, from, to }) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{field}</Table.Th>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{from ?? <Unknown />}</Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{to ?? <Unknown />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {entry.request_id !== null && (
        <CopyField text={entry.request_id} label={t("failure.requestId")} />
      )}
    </Stack>
  );
}

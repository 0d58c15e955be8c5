import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { exportAddress, type Scope } from "./api";
import type { LogsSearch } from "./search";

/** The current filter as a file, streamed by the gateway and saved by the browser. */
export function ExportMenu({ search, scope }: { search: LogsSearch; scope: Scope }) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          {t("logs.export")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportAddress(search, scope, "csv")} download>
          {t("logs.exportCsv")}
        </Menu.Item>
        <Menu.Item component="a" href={exportAddress(search, scope, "jsonl")} download>
          {t("logs.exportJsonl")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

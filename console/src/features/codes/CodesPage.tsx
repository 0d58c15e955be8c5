import { Button, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import type { MadeCodes } from "./api";
import { CodeTable } from "./CodeTable";
import { MadeBatch } from "./MadeBatch";
import { NewBatchForm } from "./NewBatchForm";
import type { CodesSearch } from "./search";

/** Redemption codes: batches, their states, and a drawer that makes a batch and shows it once. */
export function CodesPage() {
  const { t } = useTranslation();
  const [{ open }, setSearch] = useUrlState<CodesSearch>();
  const [made, setMade] = useState<MadeCodes>();
  const close = () => {
    setMade(undefined);
    setSearch({ open: undefined });
  };
  return (
    <Stack gap="lg">
      <PageHead
        title={t("codes.title")}
        description={t("codes.text")}
        actions={
          <Button
            leftSection={<IconPlus size={17} />}
            onClick={() => setSearch({ open: "new" }, { push: true })}
          >
            {t("codes.new")}
          </Button>
        }
      />
      <CodeTable />
      <DetailDrawer isOpen={open === "new"} title={t("codes.new")} onClose={close}>
        {made === undefined ? (
          <NewBatchForm onMade={setMade} />
        ) : (
          <MadeBatch made={made} onSaved={close} />
        )}
      </DetailDrawer>
    </Stack>
  );
}

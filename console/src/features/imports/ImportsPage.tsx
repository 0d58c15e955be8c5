// Coming from another gateway: what an import would do, doing it, and taking it back.

import { Alert, Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { BackButton } from "@/ui/BackButton";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { type ImportRequest, importsKey } from "./api";
import { ImportForm } from "./ImportForm";
import { ImportList } from "./ImportList";
import type { ImportsSearch } from "./search";
import { TaskView } from "./TaskView";

export function ImportsPage() {
  const { t } = useTranslation();
  const { isRoot } = useSession();
  return (
    <Stack gap="lg" maw={1080}>
      <BackButton to="/console/settings">{t("imports.toSettings")}</BackButton>
      <PageHead title={t("imports.title")} description={t("imports.text")} />
      {isRoot ? (
        <Body />
      ) : (
        <Alert color="yellow" variant="light" icon={<IconLock />}>
          {t("imports.rootOnly")}
        </Alert>
      )}
    </Stack>
  );
}

function Body() {
  const client = useQueryClient();
  const [{ task }, setSearch] = useUrlState<ImportsSearch>();
  // The file of the dry run, so that the import after it need not be chosen again; a reload forgets it.
  const [tried, setTried] = useState<ImportRequest>();
  const show = (next: string) => setSearch({ task: next }, { push: true });
  return (
    <>
      <ImportForm
        onBegun={(taskId, request) => {
          setTried(request);
          show(taskId);
        }}
      />
      {task !== undefined && (
        <TaskView
          key={task}
          taskId={task}
          tried={tried}
          onBegun={show}
          onEnded={() => void client.invalidateQueries({ queryKey: importsKey })}
        />
      )}
      <ImportList onUndo={show} />
    </>
  );
}

// Many users from a CSV file: choose, try out, look at what would happen, then for good.

import { Modal, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LaterTexts } from "@/ui/LaterTexts";
import { ImportFile } from "./ImportFile";
import { ImportTask } from "./ImportTask";
import { ImportTrial } from "./ImportTrial";
import type { ImportReport, ImportRequest } from "./importApi";

export default function ImportUsers({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("users.import")}
      size="xl"
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <LaterTexts>
        <Steps />
      </LaterTexts>
    </Modal>
  );
}

/** A file that was tried out. */
interface Tried {
  request: ImportRequest;
  report: ImportReport;
}

function Steps() {
  const [tried, setTried] = useState<Tried>();
  const [task, setTask] = useState<string>();
  return (
    <Stack gap="md">
      {tried === undefined && (
        <ImportFile onTried={(request, report) => setTried({ request, report })} />
      )}
      {tried !== undefined && task === undefined && (
        <ImportTrial {...tried} onBegun={setTask} onBack={() => setTried(undefined)} />
      )}
      {task !== undefined && (
        <ImportTask
          taskId={task}
          onBack={() => {
            setTried(undefined);
            setTask(undefined);
          }}
        />
      )}
    </Stack>
  );
}

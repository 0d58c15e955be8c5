import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { failureToast } from "@/ui/toast";
import { ImportRows } from "./ImportRows";
import { beginImport, type ImportReport, type ImportRequest } from "./importApi";

export interface ImportTrialProps {
  request: ImportRequest;
  report: ImportReport;
  onBegun: (taskId: string) => void;
  onBack: () => void;
}

/** What a dry run found, and the same file for good. */
export function ImportTrial({ request, report, onBegun, onBack }: ImportTrialProps) {
  const { t } = useTranslation();
  const begin = useMutation({ mutationFn: beginImport, onSuccess: onBegun, onError: failureToast });
  return (
    <>
      <ImportRows report={report} />
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          {t("userImport.other")}
        </Button>
        <Button
          disabled={report.would_make === 0}
          loading={begin.isPending}
          onClick={() => begin.mutate(request)}
        >
          {t("userImport.forGood", { count: report.would_make })}
        </Button>
      </Group>
    </>
  );
}

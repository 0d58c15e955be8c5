import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { failureToast } from "@/ui/toast";
import { beginUndo, type Import } from "./api";

export interface UndoDialogProps {
  /** Absent while the dialog is closed. */
  batch: Import | undefined;
  onClose: () => void;
  onBegun: (taskId: string) => void;
}

/** Taking an import back removes accounts and keys: the source's name must be typed. */
export function UndoDialog({ batch, onClose, onBegun }: UndoDialogProps) {
  const { t } = useTranslation();
  const undo = useMutation({ mutationFn: beginUndo, onSuccess: onBegun, onError: failureToast });
  return (
    <ConfirmByName
      isOpen={batch !== undefined}
      title={t("imports.undoTitle")}
      name={batch?.source ?? ""}
      action={t("imports.undo")}
      isBusy={undo.isPending}
      onConfirm={() => batch !== undefined && undo.mutate(batch.id)}
      onClose={onClose}
    >
      {t("imports.undoText")}
    </ConfirmByName>
  );
}

import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RequestFailure } from "@/api/failure";
import { useRefusalText } from "@/said/useRefusalText";

/** Why a form was not taken, above its buttons; nothing while there is no failure. */
export function FormFailure({ failure }: { failure: Error | undefined }) {
  const { t } = useTranslation();
  const text = useRefusalText(failure);
  if (failure === undefined) {
    return null;
  }
  const context = failure instanceof RequestFailure ? failure.context : {};
  const path = failure instanceof RequestFailure ? failure.path : "";
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} role="alert">
      <Text size="sm">{text ?? t("ui.noAnswer", { path })}</Text>
      {context.requestId !== undefined && (
        <Text size="xs" c="dimmed">
          {t("failure.requestId")} {context.requestId}
        </Text>
      )}
    </Alert>
  );
}

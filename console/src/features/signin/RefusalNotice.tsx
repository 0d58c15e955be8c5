import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Refusal } from "./useRefusal";

/** Above the button of a form that was refused. */
export function RefusalNotice({ refusal }: { refusal: Refusal }) {
  return refusal.text === undefined ? null : (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} role="alert">
      {refusal.text}
    </Alert>
  );
}

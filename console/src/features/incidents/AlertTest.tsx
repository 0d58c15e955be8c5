import { Button, Modal, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { StatusBadge } from "@/ui/StatusBadge";
import { failureToast } from "@/ui/toast";
import { type AlertOutcome, testAlerts } from "./api";

/** Sends a made-up alert and says who got it. */
export function AlertTest() {
  const { t } = useTranslation();
  const test = useMutation({ mutationFn: testAlerts, onError: failureToast });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t("incidents.test")}
      </Button>
      <Modal
        opened={test.data !== undefined}
        onClose={test.reset}
        title={t("incidents.testTitle")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <Outcomes outcomes={test.data ?? []} />
      </Modal>
    </>
  );
}

function Outcomes({ outcomes }: { outcomes: readonly AlertOutcome[] }) {
  const { t } = useTranslation();
  if (outcomes.length === 0) {
    return (
      <Stack gap="sm">
        <Text size="sm">{t("incidents.nobody")}</Text>
        <RouterAnchor to="/console/settings/$section" params={{ section: "alerts" }} size="sm">
          {t("incidents.toSettings")}
        </RouterAnchor>
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      {outcomes.map(({ target, is_sent, error }) => (
        <div key={target}>
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {target}
          </Text>
          <StatusBadge
            tone={is_sent ? "good" : "bad"}
            label={t(is_sent ? "incidents.sent" : "incidents.notSent")}
          />
          {error !== null && error !== undefined && (
            <Text size="xs" mt={4} style={{ overflowWrap: "anywhere" }}>
              {error}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

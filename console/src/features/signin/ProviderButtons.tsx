import { Button, Stack } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";

/** A button for each identity provider that the gateway lists; `invite` goes along to a new account. */
export function ProviderButtons({ invite }: { invite?: string | undefined }) {
  const { t } = useTranslation();
  const providers = useQuery(statusQuery).data?.sign_in ?? [];
  const search = invite === undefined ? "" : `?aff=${encodeURIComponent(invite)}`;
  return (
    <Stack gap="xs">
      {providers.map(({ id, label }) => (
        <Button
          key={id}
          component="a"
          href={`/api/oauth/${encodeURIComponent(id)}${search}`}
          variant="default"
          leftSection={<IconLogin2 size={16} />}
        >
          {t("signin.provider", { provider: label })}
        </Button>
      ))}
    </Stack>
  );
}

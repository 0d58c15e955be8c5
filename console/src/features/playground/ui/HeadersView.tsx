import { Code, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { PreparedRequest } from "../request/prepare";
import classes from "./Message.module.css";

/** The request's line and headers, to be read. */
export function HeadersView({ request }: { request: PreparedRequest }) {
  const { t } = useTranslation();
  const headers = { ...request.headers, Authorization: "Bearer $MODELGATE_API_KEY" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap={6}>
      <Code block className={classes.plain}>
        {[`POST ${request.path}`, ...lines].join("\n")}
      </Code>
      <Text size="xs" c="dimmed">
        {t("playground.headers.text")}
      </Text>
    </Stack>
  );
}

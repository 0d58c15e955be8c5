import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Recipe } from "@/recipes/api";
import { type TestResult, useTest } from "./useTest";

export interface TestPanelProps {
  recipe: Recipe;
  model: string | undefined;
  secret: string | undefined;
}

/** Makes the tool's call from here and says whether it passed. */
export function TestPanel({ recipe, model, secret }: TestPanelProps) {
  const { t } = useTranslation();
  const { isBusy, result, run } = useTest();
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={isBusy}
          disabled={model === undefined}
          title={model === undefined ? t("connect.noModel") : undefined}
          onClick={() => void run(recipe.endpoint, model ?? "", secret)}
        >
          {t("connect.test")}
        </Button>
        <Text size="sm" c="dimmed" style={{ flex: "1 1 260px", overflowWrap: "anywhere" }}>
          {t(secret === undefined ? "connect.testWithSession" : "connect.testWithKey", {
            endpoint: recipe.endpoint,
          })}
        </Text>
      </Group>
      <div aria-live="polite">{result !== undefined && <Result of={result} />}</div>
    </Stack>
  );
}

function Result({ of }: { of: TestResult }) {
  const { t, i18n } = useTranslation();
  const ms = new Intl.NumberFormat(i18n.language).format(of.ms);
  const title = of.isPassed
    ? t("connect.passed", { ms })
    : t("connect.failed", { status: of.status ?? t("connect.noAnswer") });
  return (
    <Alert
      color={of.isPassed ? "green" : "red"}
      variant="light"
      icon={of.isPassed ? <IconCircleCheck /> : <IconCircleX />}
      title={title}
    >
      <Stack gap={4}>
        {of.text !== undefined && (
          <Text size="sm" lineClamp={4} style={{ overflowWrap: "anywhere" }}>
            {of.text}
          </Text>
        )}
        {of.requestId !== undefined && (
          <Anchor
            component={Link}
            to="/console/logs/$requestId"
            params={{ requestId: of.requestId } as never}
            size="sm"
            c="var(--mantine-color-text)"
          >
            {t("connect.openLog")}
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

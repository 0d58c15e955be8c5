import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { recipesQuery } from "./api";
import { RecipeFiles } from "./RecipeFiles";

/** Those that most people look for; the rest is on the Connect page. */
const SHOWN = ["curl", "openai-python", "anthropic-python", "claude-code", "codex", "gemini-cli"];

/** How to use a key that was just made, with the key filled in. */
export function RecipeTabs({ secret }: { secret: string }) {
  const { t } = useTranslation();
  const recipes = useQuery(recipesQuery(undefined));
  return (
    <Stack gap="sm">
      <Text size="sm">{t("connect.useIt")}</Text>
      <DataRegion query={recipes} skeletonHeight={220}>
        {(all) => {
          const shown = all.filter(({ id }) => SHOWN.includes(id));
          return (
            <Tabs defaultValue={shown[0]?.id ?? null} keepMounted={false}>
              <Tabs.List>
                {shown.map(({ id, label }) => (
                  <Tabs.Tab key={id} value={id}>
                    {label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {shown.map((recipe) => (
                <Tabs.Panel key={recipe.id} value={recipe.id} pt="sm">
                  <RecipeFiles recipe={recipe} secret={secret} />
                </Tabs.Panel>
              ))}
            </Tabs>
          );
        }}
      </DataRegion>
      <Anchor component={Link} to="/console/connect" size="sm">
        {t("connect.moreTools")}
      </Anchor>
    </Stack>
  );
}

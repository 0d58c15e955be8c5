import { AppShell, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./AppFrame.module.css";
import type { NavigationEntry } from "./navigation";
import { RouterNavLink } from "./RouterNavLink";
import { usePages } from "./usePages";

/** The pages that the signed-in role has; administrators' ones below their own heading. */
export function Navigation({ onChosen }: { onChosen: () => void }) {
  const { t } = useTranslation();
  const { personal, administration } = usePages();
  return (
    <AppShell.Section grow p="sm" className={classes.navigation}>
      <Entries entries={personal} onChosen={onChosen} />
      {administration.length > 0 && (
        <>
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4}>
            {t("frame.administration")}
          </Text>
          <Entries entries={administration} onChosen={onChosen} />
        </>
      )}
    </AppShell.Section>
  );
}

function Entries({
  entries,
  onChosen,
}: {
  entries: readonly NavigationEntry[];
  onChosen: () => void;
}) {
  const { t } = useTranslation();
  return entries.map(({ to, text, icon: Icon }) => (
    <RouterNavLink
      key={to}
      to={to}
      label={t(text)}
      leftSection={<Icon size={18} stroke={1.6} />}
      onClick={onChosen}
      className={classes.entry}
    />
  ));
}

import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { THEMES, toTheme } from "@/lib/theme";

const THEME_TEXT = { auto: "theme.system", light: "theme.light", dark: "theme.dark" } as const;
const THEME_ICON = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon };

/** Light, dark or as the operating system says; kept in this browser. */
export function ThemeMenu() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = THEME_ICON[colorScheme];
  return (
    <Menu position="bottom-end" width={180} withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("theme.label", { theme: t(THEME_TEXT[colorScheme]) })}
        >
          <Icon size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(toTheme(value))}>
          {THEMES.map((theme) => (
            <Menu.RadioItem key={theme} value={theme} closeMenuOnClick>
              {t(THEME_TEXT[theme])}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

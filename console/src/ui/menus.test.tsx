import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { currentLanguage } from "@/i18n/languages";
import { THEME_KEY } from "@/lib/theme";
import { renderInConsole } from "@/test/render";
import { LanguageMenu } from "./LanguageMenu";
import { ThemeMenu } from "./ThemeMenu";

describe("ThemeMenu", () => {
  it("switches the page, remembers the choice and says it", async () => {
    await renderInConsole(<ThemeMenu />);
    await userEvent.click(screen.getByRole("button", { name: "Theme: System" }));
    await userEvent.click(await screen.findByRole("menuitemradio", { name: "Dark" }));
    expect(document.documentElement.dataset.mantineColorScheme).toBe("dark");
    expect(localStorage.getItem(THEME_KEY)).toBe("dark");
    expect(screen.getByRole("button", { name: "Theme: Dark" })).toBeDefined();
  });
});

describe("LanguageMenu", () => {
  it("fetches the language, switches the texts and remembers the choice", async () => {
    await renderInConsole(
      <>
        <LanguageMenu />
        <ThemeMenu />
      </>,
    );
    await userEvent.click(screen.getByRole("button", { name: "Language: English" }));
    await userEvent.click(await screen.findByRole("menuitemradio", { name: "简体中文" }));
    expect(await screen.findByRole("button", { name: "语言：简体中文" })).toBeDefined();
    expect(screen.getByRole("button", { name: "主题：跟随系统" })).toBeDefined();
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(currentLanguage()).toBe("zh-CN");
  });
});

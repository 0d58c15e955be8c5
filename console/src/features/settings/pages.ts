// The pages of settings, as the interface groups them.

export const PAGES = [
  "general",
  "sign-in",
  "billing",
  "routing",
  "limits",
  "privacy",
  "e-mail",
  "alerts",
  "appearance",
] as const;

export type SettingsPageName = (typeof PAGES)[number];

export const PAGE_TEXT = {
  general: "settings.page.general",
  "sign-in": "settings.page.signIn",
  billing: "settings.page.billing",
  routing: "settings.page.routing",
  limits: "settings.page.limits",
  privacy: "settings.page.privacy",
  "e-mail": "settings.page.email",
  alerts: "settings.page.alerts",
  appearance: "settings.page.appearance",
} as const satisfies Record<SettingsPageName, string>;

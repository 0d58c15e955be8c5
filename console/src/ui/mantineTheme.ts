// Design tokens of the console: Mantine's defaults with our accent and stronger secondary text.

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The accent of the product mark, light to dark. */
const gate: MantineColorsTuple = [
  "#eeeeff",
  "#dcdcfb",
  "#b7b7f3",
  "#9090ec",
  "#7071e6",
  "#5b5de2",
  "#4a4bdc",
  "#3b3bd6",
  "#2d2db4",
  "#222291",
];

/** Neutrals of the dark theme, text to ground, with the accent's cool tint. */
const dark: MantineColorsTuple = [
  "#e4e6ef",
  "#bcc1d0",
  "#969cae",
  "#6c7286",
  "#363a48",
  "#2a2d39",
  "#1b1d26",
  "#13151b",
  "#0e0f14",
  "#08090c",
];

const SURFACE = { backgroundColor: "var(--mantine-color-default)" } as const;

export const mantineTheme = createTheme({
  colors: { gate, dark },
  primaryColor: "gate",
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: "650" },
  components: {
    // Cards stand out from the ground by their surface, not only by a line.
    Paper: { styles: { root: SURFACE } },
    // A link inside a sentence must not be told by its colour alone.
    Anchor: { defaultProps: { underline: "always" } },
    // The placeholder that takes the first focus is no child that the menu role allows.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // What explains a field stands below it: fields side by side begin on one line, explained or not.
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    },
    // One surface from head to foot, with room below the head.
    Drawer: { styles: { header: SURFACE, body: { paddingTop: "var(--mantine-spacing-xs)" } } },
    Modal: { styles: { header: SURFACE } },
    // A dialog's head is no banner of the page.
    ModalHeader: { defaultProps: { role: "presentation" } },
    DrawerHeader: { defaultProps: { role: "presentation" } },
    // Words that fade between two colours cannot be read for a moment.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Badge: { styles: { root: { textTransform: "none" } } },
  },
});

/** Tinted surfaces of the dark theme: Mantine's own are so strong that every notice shouts. */
function tint(color: string, text: string): Record<string, string> {
  const mix = (share: number) =>
    `color-mix(in srgb, var(--mantine-color-${color}-6) ${share}%, var(--mantine-color-dark-7))`;
  return {
    [`--mantine-color-${color}-light`]: mix(22),
    [`--mantine-color-${color}-light-hover`]: mix(30),
    [`--mantine-color-${color}-light-color`]: text,
  };
}

/** Mantine's own secondary, error and warning texts stay below the contrast that WCAG 2.2 AA asks for. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5a6072",
    "--mantine-color-body": "#fbfbfd",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-yellow-light-color": "#7a4a00",
    "--mantine-color-green-light-color": "#1f6b30",
  },
  dark: {
    "--mantine-color-dimmed": "#a2a8bb",
    "--mantine-color-anchor": "#9090ec",
    "--mantine-color-error": "#ff8787",
    // Mantine's own is the colour of a card: a disabled button would be a word without a shape.
    "--mantine-color-disabled": "#262936",
    ...tint("gate", "#c9c9fb"),
    ...tint("red", "#ffc9c9"),
    ...tint("orange", "#ffd8a8"),
    ...tint("yellow", "#ffe8a3"),
    ...tint("green", "#b2f2bb"),
    ...tint("blue", "#a5d8ff"),
  },
});

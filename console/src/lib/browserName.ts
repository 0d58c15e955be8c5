// A browser's name out of its user agent, as short as people say it. Programs keep their first word.

/** The more special ones first: each of them also claims to be those below. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bFirefox\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?Chrome\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\b/, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** `Chrome 156, Linux`; nothing where there is no user agent. */
export function browserName(userAgent: string | null): string | undefined {
  if (userAgent === null || userAgent.trim() === "") {
    return undefined;
  }
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent));
  if (browser === undefined) {
    return userAgent.split(/\s/, 1)[0]?.slice(0, 60);
  }
  const [pattern, name] = browser;
  const version = pattern.exec(userAgent)?.[1] ?? "";
  const system = SYSTEMS.find(([each]) => each.test(userAgent))?.[1];
  return `${name} ${version}${system === undefined ? "" : `, ${system}`}`;
}

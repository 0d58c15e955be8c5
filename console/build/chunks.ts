// Which modules travel together. Left alone, the bundler makes a file of nearly every component, because
// nearly every page uses another set of them; some hundred small files compress badly, and the lists of
// their names alone weigh more than a page. Each group takes what it names and all that this imports,
// unless a group with a higher priority has it already.

/** A group of the bundler's `codeSplitting`. */
interface ChunkGroup {
  name: string;
  test: RegExp;
  priority: number;
}

const part = (names: string) => String.raw`src[\\/]ui[\\/](?:${names})\.tsx?$`;
const mantine = (names: string) =>
  String.raw`@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:${names})[\\/]`;

export const CHUNK_GROUPS: readonly ChunkGroup[] = [
  // Shared with the home page, which must stay small.
  {
    name: "common",
    test: /src[\\/](lib[\\/](preference|copyText|theme)|i18n[\\/]languages)\.ts$|preload-helper/,
    priority: 10,
  },
  // What every page of the console begins with.
  { name: "console", test: /src[\\/]main\.tsx$/, priority: 9 },
  // The sign-in pages need these, and the frame does too.
  {
    name: "public",
    test: new RegExp(
      [
        part("PublicFrame|RouterAnchor|useLaterTexts"),
        String.raw`src[\\/]said[\\/]useRefusalText\.ts$`,
        mantine("TextInput|Alert|ActionIcon|Divider"),
        String.raw`use-interval|use-disclosure|Icon(?:Key|AlertTriangle)\.mjs$`,
      ].join("|"),
    ),
    priority: 8,
  },
  { name: "frame", test: /src[\\/]frame[\\/]AppFrame\.tsx$/, priority: 7 },
  {
    name: "form",
    test: new RegExp(
      [part(String.raw`form[\\/](?:useSubmit|FormFailure)`), "@mantine[\\\\/]form"].join("|"),
    ),
    priority: 6,
  },
  {
    name: "region",
    test: new RegExp(
      part("DataRegion|Time|Money|Count|EmptyFirst|SectionCard|FactCard|CopyButton|useUrlState"),
    ),
    priority: 5,
  },
  { name: "choice", test: new RegExp(mantine("Select")), priority: 4 },
  {
    name: "table",
    test: new RegExp(part(String.raw`table[\\/](?:DataTable|PageControl|ColumnChooser)`)),
    priority: 3,
  },
];

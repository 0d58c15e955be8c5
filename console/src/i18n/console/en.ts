// Every text of the console in this language: one file for each feature, one chunk for all
// but those that are fetched later.

const files = import.meta.glob<Record<string, string>>(["./en/*.json", "!./en/*.later.json"], {
  eager: true,
  import: "default",
});

const texts: Record<string, string> = Object.assign({}, ...Object.values(files));

export default texts;

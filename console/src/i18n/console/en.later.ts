// Texts of this language that are fetched with the dialogs that show them: one chunk for all.

const files = import.meta.glob<Record<string, string>>("./en/*.later.json", {
  eager: true,
  import: "default",
});

const texts: Record<string, string> = Object.assign({}, ...Object.values(files));

export default texts;

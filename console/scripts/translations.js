// The rules of check-translations.js, as pure functions.

/** @typedef {Record<string, string>} Texts */

const PLURAL = /_(?:zero|one|two|few|many|other)$/;
const INSERTED = /\{\{\s*([\w.]+)[^}]*\}\}/g;

/** @param {string} key */
const baseKey = (key) => key.replace(PLURAL, "");

/** @param {string} text */
const insertedValues = (text) =>
  [...text.matchAll(INSERTED)]
    .map((match) => match[1])
    .sort()
    .join(", ");

/**
 * The keys that a language must have: a counted text needs the plural forms of that language.
 * @param {Texts} english
 * @param {string} language
 * @returns {Set<string>}
 */
function requiredKeys(english, language) {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return new Set(
    Object.keys(english).flatMap((key) =>
      PLURAL.test(key) ? forms.map((form) => `${baseKey(key)}_${form}`) : [key],
    ),
  );
}

/**
 * @param {Texts} english
 * @param {ReadonlyMap<string, Texts>} languages
 * @returns {string[]}
 */
export function compareLanguages(english, languages) {
  return [...languages].flatMap(([language, texts]) => {
    const required = requiredKeys(english, language);
    const missing = [...required].filter((key) => !texts[key]);
    const extra = Object.keys(texts).filter((key) => !required.has(key));
    const different = Object.entries(texts).filter(([key, text]) => {
      const source = english[key] ?? english[`${baseKey(key)}_other`];
      return source !== undefined && insertedValues(source) !== insertedValues(text);
    });
    return [
      ...missing.map((key) => `${language} lacks "${key}"`),
      ...extra.map((key) => `${language} has "${key}", which en does not have`),
      ...different.map(([key]) => `${language} inserts other values into "${key}" than en`),
    ];
  });
}

/**
 * Keys must be written out in the source (never put together), so a search finds them.
 * @param {Texts} english
 * @param {string} source
 * @returns {string[]}
 */
export function unusedKeys(english, source) {
  const keys = new Set(Object.keys(english).map(baseKey));
  return [...keys]
    .filter((key) => !source.includes(`"${key}"`) && !source.includes(`texts.${key}`))
    .map((key) => `"${key}" is not used`);
}

/**
 * Keys that the source names and no language has. The console's `t("…")` is checked by the types;
 * this finds those of the home page's HTML as well.
 * @param {Texts} english
 * @param {string} source
 * @returns {string[]}
 */
export function unknownTexts(english, source) {
  const named = [...source.matchAll(/(?:data-(?:text|label)=|\bt\()"([^"]+)"/g)];
  const keys = new Set(named.map((match) => match[1] ?? ""));
  return [...keys]
    .filter((key) => !(key in english || `${key}_other` in english))
    .map((key) => `"${key}" is used and does not exist`);
}

// What a rule measured, read with care: the facts of older incidents may lack something.

type Facts = Readonly<Record<string, unknown>>;

/** Thrown where something is missing that the words need. */
class Missing extends Error {}

/** Reads facts; what is not there, or not of that kind, ends the wording. */
export function reader(facts: Facts) {
  const read = <T>(name: string, isRight: (value: unknown) => value is T): T => {
    const value = facts[name];
    if (!isRight(value)) {
      throw new Missing(name);
    }
    return value;
  };
  return {
    is: (name: string) => facts[name] === true,
    has: (name: string) => facts[name] !== null && facts[name] !== undefined,
    text: (name: string) => read(name, (value): value is string => typeof value === "string"),
    number: (name: string) => read(name, (value): value is number => typeof value === "number"),
    list: (name: string) => read(name, Array.isArray).map(String),
  };
}

export type Reader = ReturnType<typeof reader>;

/** What `word` makes, or what the gateway said where a fact is missing. */
export function orElse<T>(word: () => T, said: T): T {
  try {
    return word();
  } catch (error) {
    if (error instanceof Missing) {
      return said;
    }
    throw error;
  }
}

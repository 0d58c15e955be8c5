// The playground's own short-lived token. It lives in this variable and nowhere else; a new one is asked
// for shortly before the old one ends.

/** A token and the moment it ends, in milliseconds since 1970. */
export interface ShortToken {
  token: string;
  endsAt: number;
}

/** A call that begins just before the end must still be let in. */
const SPARE_MS = 60_000;

export class TokenKeeper {
  #current: Promise<ShortToken> | undefined;
  readonly #make: () => Promise<ShortToken>;

  constructor(make: () => Promise<ShortToken>) {
    this.#make = make;
  }

  /** The token to call with. */
  async token(now = Date.now()): Promise<string> {
    const kept = await this.#current?.catch(() => undefined);
    if (kept !== undefined && kept.endsAt - SPARE_MS > now) {
      return kept.token;
    }
    this.#current = this.#make();
    return (await this.#current).token;
  }

  /** Forgets the token, for example after it was refused. */
  forget(): void {
    this.#current = undefined;
  }
}

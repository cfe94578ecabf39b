/** What a secret is, in the words of the field: `access token`, `password`, … */
export type Kind = string;

interface Canary {
  readonly kind: Kind;
  readonly value: string;
}

/** Shorter ones could stand anywhere by chance. */
const shortest = 12;

/** Every secret that a run has minted. */
export class Canaries {
  readonly #byValue = new Map<string, Canary>();

  /** Puts a secret on the list. Throws when it is too short to be told from chance. */
  add(kind: Kind, value: string): void {
    if (value.length < shortest) throw new Error(`A canary of kind ${kind} is too short to be looked for`);
    this.#byValue.set(value, { kind, value });
    // Whoever cuts or parses a token leaks its signature all the same.
    const [, signature] = /^ey[\w-]+\.[\w-]+\.([\w-]+)$/.exec(value) ?? [];
    if (signature) this.add(`${kind}'s signature`, signature);
  }

  get kinds(): Set<Kind> {
    return new Set([...this.#byValue.values()].map(({ kind }) => kind));
  }

  all(): readonly Canary[] {
    return [...this.#byValue.values()];
  }
}

/** The ways in which a text may hold a secret. */
export const formsOf = (value: string): ReadonlyMap<string, string> => {
  const forms = new Map([["plain", value]]);
  const escaped = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  if (escaped !== value) forms.set("escaped", escaped);
  if (percent !== value) forms.set("percent-encoded", percent);
  forms.set("hexadecimal", Buffer.from(value).toString("hex"));
  // The same bytes read three ways in base64, by how many stand before them; the edges depend on their neighbours.
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.toString("base64url");
    const inner = whole.slice(before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6));
    forms.set(`base64url, offset ${String(before)}`, inner);
    forms.set(`base64, offset ${String(before)}`, inner.replaceAll("-", "+").replaceAll("_", "/"));
  }
  return forms;
};

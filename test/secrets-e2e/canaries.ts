/** The kind of a secret, such as `access token` or `password`. */
export type Kind = string;

interface Canary {
  readonly kind: Kind;
  readonly value: string;
}

/** Shorter values could match by chance. */
const minLength = 12;

/** The secrets that a run has created, to be searched for in its output. */
export class Canaries {
  readonly #byValue = new Map<string, Canary>();

  /** Adds a secret. Throws if it is so short that it could match by chance. */
  add(kind: Kind, value: string): void {
    if (value.length < minLength) throw new Error(`A canary of kind ${kind} is too short to search for`);
    this.#byValue.set(value, { kind, value });
    // A parsed or truncated token still leaks its signature.
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

/** Returns every encoding in which a text may contain a secret. */
export const formsOf = (value: string): ReadonlyMap<string, string> => {
  const forms = new Map([["plain", value]]);
  const escaped = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  if (escaped !== value) forms.set("escaped", escaped);
  if (percent !== value) forms.set("percent-encoded", percent);
  forms.set("hexadecimal", Buffer.from(value).toString("hex"));
  // Base64 encodes the same bytes in three ways, depending on their offset; the edges depend on adjacent bytes.
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.toString("base64url");
    const inner = whole.slice(before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6));
    forms.set(`base64url, offset ${String(before)}`, inner);
    forms.set(`base64, offset ${String(before)}`, inner.replaceAll("-", "+").replaceAll("_", "/"));
  }
  return forms;
};

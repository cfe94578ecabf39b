import { secretFields } from "@mgmt/engine";

/** Replaces a secret in a recording. */
export const masked = "[secret]";

/** Connection strings with a password or a key, tokens, and credentials of a header. */
const secretTexts = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'/@]*:[^\s"'@]+@[^\s"']*/gi,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"']*(?:api_key|token|password)=[^\s"']+/gi,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{6,}/gi,
];

/** Shortest text that is replaced wherever it occurs. Shorter ones would replace harmless words. */
const minLength = 6;

/** Masks the secrets of a recording, wherever they occur again. */
export class SecretMask {
  readonly #known = new Set<string>();

  /** Remembers a secret, such as the token of a request. */
  add(secret: string): void {
    if (secret.length >= minLength && secret !== masked) this.#known.add(secret);
  }

  /** Returns a copy of a JSON value with `masked` in place of the fields that the contract marks as secret. */
  fields(value: unknown, isSecret = false): unknown {
    if (typeof value === "string") {
      if (!isSecret) return value;
      this.add(value);
      return masked;
    }
    if (Array.isArray(value)) return value.map((item) => this.fields(item, isSecret));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        this.fields(item, isSecret || secretFields.has(name)),
      ]),
    );
  }

  /** Masks known secrets, and texts that look like secrets, in every string of a JSON value. */
  texts<T>(value: T): T {
    const visit = (part: unknown): unknown => {
      if (typeof part === "string") return this.text(part);
      if (Array.isArray(part)) return part.map(visit);
      if (typeof part !== "object" || part === null) return part;
      return Object.fromEntries(Object.entries(part).map(([name, item]) => [this.text(name), visit(item)]));
    };
    // Only strings change.
    return visit(value) as T;
  }

  text(text: string): string {
    let result = text;
    for (const secret of this.#known) {
      result = result.replaceAll(secret, masked).replaceAll(encodeURIComponent(secret), masked);
    }
    for (const pattern of secretTexts) result = result.replace(pattern, masked);
    return result;
  }
}

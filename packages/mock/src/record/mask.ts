import { isHarmlessField, isSecretField, redactData, secretFields } from "@mgmt/engine/internal";

/** Replaces a secret in a recording. */
export const masked = "[secret]";
/** Replaces it in the table of secrets that all packages share. */
const redacted = "[redacted]";

/** Shortest text that is replaced wherever it occurs. Shorter ones would replace harmless words. */
const minLength = 6;

/** The secret part of a value: all of it, all except information about a secret, or none. */
type Secrecy = "all" | "most" | "none";

/** Masks the secrets of a recording, wherever they occur again. */
export class SecretMask {
  readonly #known = new Set<string>();

  /** Remembers a secret, such as the token of a request. */
  add(secret: string): void {
    if (secret.length >= minLength && secret !== masked) this.#known.add(secret);
  }

  /** Returns a copy of a JSON value with `masked` in place of strings and numbers in fields with names of secrets. */
  fields(value: unknown, secrecy: Secrecy = "none"): unknown {
    if (typeof value === "string" || typeof value === "number") {
      if (secrecy === "none") return value;
      this.add(String(value));
      return masked;
    }
    if (Array.isArray(value)) return value.map((item) => this.fields(item, secrecy));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.fields(item, secrecyOf(name, item, secrecy))]),
    );
  }

  /** Masks known secrets, and strings that look like a secret, in a JSON value. */
  texts<T>(value: T): T {
    const clean = JSON.stringify(redactData(value, [...this.#known])).replaceAll(redacted, masked);
    // Only strings change.
    return JSON.parse(clean) as T;
  }
}

const secrecyOf = (name: string, value: unknown, around: Secrecy): Secrecy => {
  // The names in it are the user's own.
  if (around === "all" || secretFields.has(name)) return "all";
  if (isSecretField(name)) return "most";
  const isHarmless = around === "none" || (isHarmlessField(name) && typeof value !== "object");
  return isHarmless ? "none" : "most";
};

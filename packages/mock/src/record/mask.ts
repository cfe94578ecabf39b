import { isHarmlessField, isSecretField, redactData, secretFields } from "@mgmt/engine/internal";

/** Replaces a secret in a recording. */
export const maskedText = "[secret]";
/** Replaces it in the table of secrets that all packages share. */
const redactedText = "[redacted]";

/** Shortest text that is replaced wherever it occurs. Shorter ones would replace harmless words. */
const minSecretLength = 6;

/** The secret part of a value: all of it, all except information about a secret, or none. */
type SecrecyLevel = "all" | "most" | "none";

/** Masks the secrets of a recording, wherever they occur again. */
export class SecretMask {
  readonly #knownSecrets = new Set<string>();

  /** Adds a secret to mask, such as the token of a request. */
  add(secret: string): void {
    if (secret.length >= minSecretLength) this.#knownSecrets.add(secret);
  }

  /** Returns a copy of a JSON value with `maskedText` instead of strings and numbers in fields with names of secrets. */
  maskFields(value: unknown, secrecy: SecrecyLevel = "none"): unknown {
    if (typeof value === "string" || typeof value === "number") {
      if (secrecy === "none") return value;
      this.add(String(value));
      return maskedText;
    }
    if (Array.isArray(value)) return value.map((element) => this.maskFields(element, secrecy));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, element]) => [
        name,
        this.maskFields(element, determineSecrecy(name, element, secrecy)),
      ]),
    );
  }

  /** Masks known secrets, and strings that look like a secret, in a JSON value. */
  maskTexts<T>(value: T): T {
    const maskedJson = JSON.stringify(redactData(value, [...this.#knownSecrets])).replaceAll(
      redactedText,
      maskedText,
    );
    // Masking changes only strings, so the type stays the same.
    return JSON.parse(maskedJson) as T;
  }
}

const determineSecrecy = (name: string, value: unknown, parentSecrecy: SecrecyLevel): SecrecyLevel => {
  // The names in it are the user's own.
  if (parentSecrecy === "all" || secretFields.has(name)) return "all";
  if (isSecretField(name)) return "most";
  const isHarmless = parentSecrecy === "none" || (isHarmlessField(name) && typeof value !== "object");
  return isHarmless ? "none" : "most";
};

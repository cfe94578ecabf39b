import { findSecrets, redactData } from "@mgmt/internal/redaction/redact";
import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";
import { maskNamedSecrets, secretMask } from "../output/mask.js";

/** Of any text of the service. Names have at most 256 characters. */
const maxTextLength = 2_000;
/** Of any list inside of a result. */
const maxItems = 20;
const maxLevels = 12;

/** What `redactData` writes in place of a secret. */
const redactedText = "[redacted]";

/**
 * Removes secrets from everything that leaves the server: results, errors, messages, and lines of the audit file. Secrets are the fields
 * that the contract marks, texts that look like secrets, and every secret that the service has sent or received, wherever it is.
 */
export class Redactor {
  readonly #knownSecrets = new Set<string>();

  /** Remembers a secret. */
  learnSecret(secret: string): void {
    if (secret.length >= 6) this.#knownSecrets.add(secret);
  }

  /** Remembers the secrets of a request or a response. */
  learn(headers: Readonly<Record<string, string>>, body: string | undefined): void {
    for (const secret of findSecrets(headers, body)) this.#knownSecrets.add(secret);
  }

  /** Returns a copy of a value of JSON without its secrets, and short enough for a model. */
  redact(value: unknown): unknown {
    // The longest first, because a secret may contain another one.
    const secrets = [...this.#knownSecrets].sort((left, right) => right.length - left.length);
    return shorten(redactData(maskNamedSecrets(value), secrets), 0);
  }

  /** Returns a text without its secrets. */
  redactText(text: string): string {
    return String(this.redact(text));
  }
}

/** Leaves out what was a secret, cuts long texts and lists, and shows characters that a reader would not see. */
const shorten = (value: unknown, level: number): unknown => {
  if (typeof value === "string") return shortenText(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= maxLevels) return "…";
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => shorten(item, level + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== secretMask && inner !== redactedText && inner !== undefined)
      .map(([name, inner]) => [shortenText(name), shorten(inner, level + 1)]),
  );
};

const shortenText = (text: string): string =>
  escapeUnsafe(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text);

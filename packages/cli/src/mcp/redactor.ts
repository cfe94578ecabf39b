import { hasSecretWords, isSecretField } from "@mgmt/internal/generated/field-names";
import { findSecrets, redactData } from "@mgmt/internal/redaction/redact";
import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";
import { maskNamedSecrets, secretMask } from "../output/mask.js";

/** Maximum length of one text of the service, in characters. Names have at most 256. */
const maxTextLength = 2_000;
/** Maximum number of items of a list in a result. */
const maxItems = 100;
/** Maximum depth of a result. */
const maxLevels = 12;
/** Maximum length of all texts of a result together, in characters. Clients reject results of more than about 25,000 tokens. */
const maxTotalLength = 40_000;

/** The text by which `redactData` replaces a secret. */
const redactedText = "[redacted]";

/**
 * The source of field names. The names of contract fields and of columns determine which values are secrets, but `value` is an ordinary name
 * of a column. The names of arguments, which a result describes, have no values.
 */
export type FieldNameSource = "contract" | "columns" | "arguments";

const secretNameTests: Readonly<Record<FieldNameSource, (name: string) => boolean>> = {
  contract: isSecretField,
  columns: hasSecretWords,
  arguments: () => false,
};

/**
 * Removes secrets from everything that leaves the server: results, errors, messages, and lines of the audit file. Secrets are the fields
 * that the contract marks, texts that look like secrets, and every secret that the service has sent or received, wherever it is.
 */
export class Redactor {
  readonly #knownSecrets = new Set<string>();

  /** Adds a secret to redact. */
  addSecret(secret: string): void {
    if (secret.length >= 6) this.#knownSecrets.add(secret);
  }

  /** Adds the secrets of a request or a response. */
  addSecretsOfMessage(headers: Readonly<Record<string, string>>, body: string | undefined): void {
    for (const secret of findSecrets(headers, body)) this.#knownSecrets.add(secret);
  }

  /**
   * Returns a copy of a value of JSON without its secrets, and short enough for a model.
   *
   * @param nameSource Default: `contract`.
   */
  redact(value: unknown, nameSource: FieldNameSource = "contract"): unknown {
    // The longest first, because a secret may contain another one.
    const secrets = [...this.#knownSecrets].sort((left, right) => right.length - left.length);
    const maskedValue = nameSource === "contract" ? maskNamedSecrets(value) : value;
    // The lists of the service and of tools have names, such as names of columns, and never alternate between names and values.
    const names = { isSecretName: secretNameTests[nameSource], hasPairs: false };
    return shorten(redactData(maskedValue, secrets, names), 0, { left: maxTotalLength });
  }

  /** Returns a text without its secrets. */
  redactText(text: string): string {
    return String(this.redact(text));
  }
}

/** Characters that a result may still have. */
interface SizeBudget {
  left: number;
}

/** Removes the fields of secrets, cuts long texts and lists and notes how much is cut, and escapes invisible characters. */
const shorten = (value: unknown, level: number, budget: SizeBudget): unknown => {
  // The fields of the result itself tell the model how to continue, so the budget does not apply to them.
  const textBudget = level <= 1 ? { left: maxTextLength } : budget;
  if (typeof value === "string") return shortenText(value, textBudget);
  if (typeof value !== "object" || value === null) return value;
  if (level >= maxLevels) return "…";
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (items.length === maxItems || budget.left <= 0) {
        items.push(describeRest(value.length - items.length));
        break;
      }
      items.push(shorten(item, level + 1, budget));
    }
    return items;
  }
  const fields = Object.entries(value).filter(
    ([, propertyValue]) =>
      propertyValue !== secretMask && propertyValue !== redactedText && propertyValue !== undefined,
  );
  const shortFields: [string, unknown][] = [];
  for (const [name, propertyValue] of fields) {
    if (level > 0 && budget.left <= 0) {
      shortFields.push(["…", describeRest(fields.length - shortFields.length)]);
      break;
    }
    shortFields.push([shortenText(name, textBudget), shorten(propertyValue, level + 1, budget)]);
  }
  return Object.fromEntries(shortFields);
};

const describeRest = (count: number): string => `${String(count)} more left out`;

const shortenText = (text: string, budget: SizeBudget): string => {
  const maxLength = Math.max(0, Math.min(maxTextLength, budget.left));
  const shortText = escapeUnsafe(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
  budget.left -= shortText.length;
  return shortText;
};

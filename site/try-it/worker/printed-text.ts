import { secretFields } from "@mgmt/internal/generated/secret-fields";
import { secretMask } from "@mgmt/internal/redaction/secret-mask";

/** Returns what is printed for a value: a text as it is, and most others as JSON, without the secrets that Node.js does not print either. */
export const printedText = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value, withMask, 2) ?? "undefined";
  } catch {
    // It contains itself, or what JSON does not have.
    return Object.prototype.toString.call(value);
  }
};

const withMask = (name: string, value: unknown): unknown =>
  secretFields.has(name) && value !== null && value !== undefined ? secretMask : value;

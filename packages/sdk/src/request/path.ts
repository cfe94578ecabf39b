import { InvalidArgumentError } from "../errors/local-errors.js";

/**
 * Fills `/v1/projects/{id}`. A value that is empty, a dot segment, or becomes one when a proxy decodes it (once, twice …)
 * would change which resource is meant, so it is refused before anything is sent.
 */
export const fillPath = (template: string, values: Record<string, string> = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, values[name]));

const encodeSegment = (name: string, value: unknown): string => {
  if (typeof value !== "string" || changesPath(value)) {
    throw new InvalidArgumentError(name, "must be a string, and not empty or a dot segment");
  }
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new InvalidArgumentError(name, "is not well-formed text", { cause });
  }
};

const changesPath = (value: string): boolean => {
  if (/(?:^|[/\\])\s*(?:\.{1,2}\s*)?(?:[/\\]|$)/.test(value)) return true;
  const decoded = value.replace(/(?:%[\da-f]{2})+/gi, decode);
  return decoded !== value && changesPath(decoded);
};

const decode = (escaped: string): string => {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
};

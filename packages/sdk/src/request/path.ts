import { InvalidArgumentError } from "../errors/local-errors.js";

/**
 * Fills in a template such as `/v1/projects/{id}`. Throws `InvalidArgumentError` for a value that is empty or a dot segment,
 * or becomes one when a proxy decodes it once or more: the path would then name another resource.
 */
export const fillPath = (template: string, values: Record<string, string> = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, values[name]));

const encodeSegment = (name: string, value: unknown): string => {
  if (typeof value !== "string" || changesPath(value)) {
    throw new InvalidArgumentError(name, "must be a string that is neither empty nor a dot segment");
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

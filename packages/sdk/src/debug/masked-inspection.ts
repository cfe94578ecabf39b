import { secretFields } from "@mgmt/internal/generated/secret-fields";
import { secretMask } from "@mgmt/internal/redaction/secret-mask";

/** The name of the method that `util.inspect` calls, also in Deno and Bun. See https://nodejs.org/api/util.html#utilinspectcustom. */
const inspectKey = Symbol.for("nodejs.util.inspect.custom");

const secretFieldPattern = new RegExp(`"(?:${[...secretFields].join("|")})"`);

/** Returns the value that `util.inspect` prints instead of the object. */
function maskSecretFields(this: object): object {
  return Object.fromEntries(
    Object.entries(this).map(([name, value]: [string, unknown]) => [
      name,
      isSecretField(name, value) ? secretMask : value,
    ]),
  );
}

const isSecretField = (name: string, value: unknown): boolean =>
  secretFields.has(name) && value !== null && value !== undefined;

/**
 * Makes `console.log` and `util.inspect` mask the secrets in parsed JSON, such as passwords and connection strings. Everything else
 * reads them as before: the property that does this is not enumerable, so that spreading, `structuredClone`, `JSON.stringify` and
 * comparisons ignore it. The `imports` of `package.json` leave this out of programs for browsers and edge runtimes, whose consoles
 * show objects as they are.
 *
 * @param text the JSON that the value was parsed from, which is searched first. Default: only the value is searched.
 */
export function maskInspection(root: unknown, text?: string): void {
  if (text !== undefined && !secretFieldPattern.test(text)) return;
  // Without recursion, because a response may be nested deeper than the stack.
  const pendingValues: unknown[] = [root];
  while (pendingValues.length > 0) {
    const value = pendingValues.pop();
    if (typeof value !== "object" || value === null) continue;
    const fields: [string, unknown][] = Object.entries(value);
    if (!Array.isArray(value) && fields.some(([name, propertyValue]) => isSecretField(name, propertyValue))) {
      Object.defineProperty(value, inspectKey, {
        value: maskSecretFields,
        configurable: true,
        writable: true,
      });
    }
    for (const [, propertyValue] of fields) pendingValues.push(propertyValue);
  }
}

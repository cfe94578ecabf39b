import { redactHeaders } from "@mgmt/internal/redaction/redact";

/**
 * Returns a copy of the headers that masks its secrets when it is printed: with `JSON.stringify`, and with `util.inspect` or
 * `console.log` of Node.js. Reading and copying its properties keeps their values.
 */
export const printableHeaders = (
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const redacted = { value: () => redactHeaders(headers) };
  return Object.defineProperties(
    { ...headers },
    {
      toJSON: redacted,
      [Symbol.for("nodejs.util.inspect.custom")]: redacted,
    },
  );
};

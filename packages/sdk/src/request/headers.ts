import { InvalidArgumentError } from "../errors/local-errors.js";

/** Matches a header name that can be sent. `fetch` of Node.js leaves out the name `__proto__`. */
const headerNamePattern = /^(?!__proto__$)[!#$%&'*+.^`|~\w-]+$/;
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the headers with their names in lower case. Throws `InvalidArgumentError` for a name or value that cannot be
 * sent, without quoting it: it may be a secret, and transports would quote it in their errors.
 */
export const normalizeHeaders = (headers: Record<string, string> | undefined): Record<string, string> => {
  const normalizedHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...headers })) {
    if (!headerNamePattern.test(name)) {
      throw new InvalidArgumentError("headers", "has a name that cannot be sent");
    }
    if (typeof value !== "string" || !headerValuePattern.test(value)) {
      throw new InvalidArgumentError(`headers[${JSON.stringify(name)}]`, "has a value that cannot be sent");
    }
    normalizedHeaders[name.toLowerCase()] = value;
  }
  return normalizedHeaders;
};

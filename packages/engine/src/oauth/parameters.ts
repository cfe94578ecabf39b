import { oauthErrors } from "./oauth-error.js";

/**
 * The parameters of a query or a form (RFC 6749 §3.1): one without a value counts as absent, and none may come twice.
 */
export class Parameters {
  readonly #values = new Map<string, string[]>();

  /** Throws a `URIError` for a percent-encoding that is none. */
  constructor(text: string) {
    for (const pair of text.split("&")) {
      if (pair === "") continue;
      const mark = pair.indexOf("=");
      const name = decode(mark === -1 ? pair : pair.slice(0, mark));
      const value = mark === -1 ? "" : decode(pair.slice(mark + 1));
      const values = this.#values.get(name);
      if (values) values.push(value);
      else this.#values.set(name, [value]);
    }
  }

  /** Undefined when it is absent, empty or repeated. */
  get(name: string): string | undefined {
    const values = this.#values.get(name);
    return values?.length === 1 ? values[0] || undefined : undefined;
  }

  isRepeated(name: string): boolean {
    return (this.#values.get(name)?.length ?? 0) > 1;
  }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

/** Throws `invalid_request` for what is not percent-encoded UTF-8. */
export const readParameters = (text: string): Parameters => {
  try {
    return new Parameters(text);
  } catch {
    throw oauthErrors.unreadable();
  }
};

/** The text of a query or a form, without the members that are undefined. */
export const encodeParameters = (values: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(given).toString();
};

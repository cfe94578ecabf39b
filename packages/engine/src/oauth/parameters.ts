import { oauthErrors } from "./oauth-error.js";

/**
 * The parameters of a query or a form. A parameter without a value counts as absent, and none may be
 * repeated. See https://www.rfc-editor.org/rfc/rfc6749#section-3.1.
 */
export class Parameters {
  readonly #values = new Map<string, string[]>();

  /** Parses the text of a query or a form. Throws a `URIError` for invalid percent-encoding. */
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

  /** Returns the value of a parameter, or undefined when it is absent, empty or repeated. */
  get(name: string): string | undefined {
    const values = this.#values.get(name);
    return values?.length === 1 ? values[0] || undefined : undefined;
  }

  isRepeated(name: string): boolean {
    return (this.#values.get(name)?.length ?? 0) > 1;
  }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

/** Parses the text of a query or a form. Throws `invalid_request` when it is not percent-encoded UTF-8. */
export const readParameters = (text: string): Parameters => {
  try {
    return new Parameters(text);
  } catch {
    throw oauthErrors.unreadable();
  }
};

/** Encodes parameters as the text of a query or a form. Undefined values are omitted. */
export const encodeParameters = (values: Readonly<Record<string, string | undefined>>): string => {
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(parameters).toString();
};

/** @throws OAuthError when one of the names occurs more than once. */
export const refuseRepeated = (parameters: Parameters, names: readonly string[]): void => {
  const repeated = names.find((name) => parameters.isRepeated(name));
  if (repeated !== undefined) throw oauthErrors.repeated(repeated);
};

import { oauthErrors } from "./oauth-error.js";

/**
 * The parameters of a query or a form. A parameter without a value counts as absent, and none may be
 * repeated. See https://www.rfc-editor.org/rfc/rfc6749#section-3.1.
 */
export class OAuthParameters {
  readonly #values = new Map<string, string[]>();

  /** Parses the text of a query or a form. Throws a `URIError` for invalid percent-encoding. */
  constructor(encodedParameters: string) {
    for (const pair of encodedParameters.split("&")) {
      if (pair === "") continue;
      const equalsIndex = pair.indexOf("=");
      const name = decodeComponent(equalsIndex === -1 ? pair : pair.slice(0, equalsIndex));
      const value = equalsIndex === -1 ? "" : decodeComponent(pair.slice(equalsIndex + 1));
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

const decodeComponent = (encoded: string): string => decodeURIComponent(encoded.replaceAll("+", " "));

/** Parses the text of a query or a form. Throws `invalid_request` when it is not percent-encoded UTF-8. */
export const parseParameters = (encodedParameters: string): OAuthParameters => {
  try {
    return new OAuthParameters(encodedParameters);
  } catch {
    throw oauthErrors.undecodableParameters();
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
export const assertNotRepeated = (parameters: OAuthParameters, names: readonly string[]): void => {
  const repeatedName = names.find((name) => parameters.isRepeated(name));
  if (repeatedName !== undefined) throw oauthErrors.repeatedParameter(repeatedName);
};

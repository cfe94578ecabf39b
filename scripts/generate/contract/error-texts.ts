/** What the server sends for an error code and one of its causes. Texts have parameters, such as `{logicalId}`. */
interface RawErrorText {
  status: number;
  message: string;
  hint?: string | undefined;
  headers?: Record<string, string>;
}

/** An error code as it is declared in `x-error-codes`. */
export interface RawErrorCode extends RawErrorText {
  "x-cross-cutting"?: boolean;
  description: string;
  schema?: string;
  conflict?: { id: string; property: string };
  /** Examples of the parameters. */
  parameters?: Record<string, string | number>;
  /** Examples of the fields that the code adds to the body. */
  fields?: Record<string, unknown>;
  /** Causes that have other texts. */
  variants?: Record<string, Partial<RawErrorText>>;
}

export interface ErrorText extends RawErrorText {
  code: string;
  /** Name of its cause; undefined for the texts of the code itself. */
  variant: string | undefined;
  /** Examples of the parameters that its texts have. */
  parameters: Record<string, string | number>;
  /** Name of the component schema of the error body. */
  schema: string;
}

interface Schema {
  properties?: Record<string, Schema>;
}

/** What this file reads of an OpenAPI document. */
interface ErrorDocument {
  components: { schemas: Record<string, Schema>; responses?: Record<string, RawErrorResponse> };
  "x-error-codes": Record<string, RawErrorCode>;
}

const placeholder = /\{(\w+)\}/g;

/** Returns the names of the parameters of a text. */
export const parametersOf = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, name = ""]) => name);

/** Returns a text with a value in place of each parameter. */
export const replaceParameters = (text: string, valueOf: (name: string) => string): string =>
  text.replaceAll(placeholder, (_match, name: string) => valueOf(name));

/**
 * Returns the texts of all error codes and their variants.
 *
 * @throws Error for a parameter without an example or without a use, and for a hint that is missing or that the schema does not have.
 */
export const readErrorTexts = (document: ErrorDocument): ErrorText[] =>
  Object.entries(document["x-error-codes"]).flatMap(([code, entry]) => {
    const { variants = {}, parameters = {}, schema = "Error" } = entry;
    const fieldsOfError = document.components.schemas[schema]?.properties?.["error"]?.properties ?? {};
    const used = new Set<string>();
    const textOf = (variant: string | undefined, changes: Partial<RawErrorText>): ErrorText => {
      const { status, message, hint, headers = {} } = { ...entry, ...changes };
      if (message === undefined || (hint !== undefined) !== Object.hasOwn(fieldsOfError, "hint"))
        throw new Error(`${code} in x-error-codes needs a message, and a hint if ${schema} has one`);
      const names = [message, hint ?? "", ...Object.values(headers)].flatMap(parametersOf);
      const examples = Object.fromEntries(
        [...new Set(names)].map((name) => {
          const example = parameters[name];
          if (example === undefined) throw new Error(`${code} in x-error-codes has no example of {${name}}`);
          used.add(name);
          return [name, example];
        }),
      );
      return { code, variant, status, message, hint, headers, parameters: examples, schema };
    };
    const texts = [
      textOf(undefined, {}),
      ...Object.entries(variants).map(([name, changes]) => textOf(name, changes)),
    ];
    const unused = Object.keys(parameters).filter((name) => !used.has(name));
    if (unused.length > 0) throw new Error(`${code} in x-error-codes does not use {${unused.join("}, {")}}`);
    return texts;
  });

/** Returns whether the message and the hint of an error are those of the text, with any values of its parameters. */
export const isInstanceOf = (
  text: ErrorText,
  error: { message: string; hint?: string | undefined },
): boolean => {
  const joined = ({ message, hint }: typeof error): string =>
    hint === undefined ? message : `${message}\n${hint}`;
  const seen = new Set<string>();
  const escaped = joined(text).replaceAll(/[\\^$.*+?()[\]|/-]/g, "\\$&");
  const pattern = replaceParameters(escaped, (name) => {
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>${typeof text.parameters[name] === "number" ? "\\d+" : "[^]+"})`;
  });
  return new RegExp(`^${pattern}$`).test(joined(error));
};

interface RawErrorResponse {
  "x-error-codes"?: string[];
  /** The variant of each code whose own texts do not apply to the response. */
  "x-error-variants"?: Record<string, string>;
  content?: { "application/json"?: { examples?: Record<string, { value: unknown }> } };
}

/** Adds the examples of the error responses to the document, and removes what only they are generated from. */
export const addErrorExamples = (document: ErrorDocument): void => {
  const texts = readErrorTexts(document);
  for (const [name, response] of Object.entries(document.components.responses ?? {})) {
    const { "x-error-codes": codes, "x-error-variants": variants = {}, content } = response;
    const body = content?.["application/json"];
    if (!codes || !body) continue;
    const examples = codes.map((code) => {
      const text = texts.find((candidate) => candidate.code === code && candidate.variant === variants[code]);
      if (!text) throw new Error(`The response ${name} has ${code}, which x-error-codes does not have`);
      return [
        code.replace(":", "_"),
        { value: exampleOf(text, document["x-error-codes"][code]?.fields) },
      ] as const;
    });
    body.examples = Object.fromEntries(examples);
    delete response["x-error-variants"];
  }
};

const exampleOf = (text: ErrorText, fields: object = {}): object => {
  const fillIn = (template: string): string =>
    replaceParameters(template, (name) => String(text.parameters[name]));
  const { code, message, hint } = text;
  return {
    error: { code, message: fillIn(message), ...(hint !== undefined && { hint: fillIn(hint) }), ...fields },
  };
};

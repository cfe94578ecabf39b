import type { Contract } from "../contract/contract.js";
import { type ErrorText, parametersOf, readErrorTexts, replaceParameters } from "../contract/error-texts.js";

/** Generates a function for each error code and each of its variants, which builds the error with the texts of the contract. */
export const printErrors = ({ document }: Contract): string => {
  const texts = readErrorTexts(document);
  const fields = (code: string): string[] => Object.keys(document["x-error-codes"][code]?.fields ?? {});
  const schemas = [
    ...new Set(texts.flatMap(({ code, schema }) => (fields(code).length > 0 ? [schema] : []))),
  ];
  // A hint that several errors have is in the code once.
  const hints = texts.flatMap(({ hint }) =>
    hint === undefined || parametersOf(hint).length > 0 ? [] : [hint],
  );
  const repeated = [...new Set(hints.filter((hint, index) => hints.indexOf(hint) !== index))];
  const printHint = (hint: string): string =>
    repeated.includes(hint) ? `hint${String(repeated.indexOf(hint) + 1)}` : printText(hint);
  const imported = schemas.map((name) => (name === "Error" ? "Error as ErrorBody" : name)).sort();
  return `import type { ${imported.join(", ")} } from "../../generated/schemas.js";
import { RequestError } from "../request-error.js";

type Headers = Readonly<Record<string, string>>;
type Fields<Body extends { error: object }, Name extends keyof Body["error"]> = Readonly<
  Required<Pick<Body["error"], Name>>
>;

${repeated.map((hint) => `const ${printHint(hint)} = ${printText(hint)};\n`).join("")}
/** Builds the errors of the contract, by their code and its variant. */
export const contractErrors = {
${texts.map((text) => printConstructor(text, fields(text.code), printHint)).join("")}} as const;
`;
};

const printConstructor = (text: ErrorText, fields: string[], printHint: (hint: string) => string): string => {
  const { code, variant, status, message, hint, headers = {}, parameters, schema } = text;
  const names = Object.keys(parameters);
  const types = Object.entries(parameters).map(([name, example]) => `readonly ${name}: ${typeof example};`);
  const body = schema === "Error" ? "ErrorBody" : schema;
  const received = [
    ...(names.length > 0 ? [`{ ${names.join(", ")} }: { ${types.join(" ")} }`] : []),
    ...(fields.length > 0
      ? [`fields: Fields<${body}, ${fields.map((name) => JSON.stringify(name)).join(" | ")}>`]
      : []),
    // Added to those of the contract.
    ...(Object.keys(headers).length > 0 ? ["headers?: Headers"] : []),
  ];
  const own = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${printText(value)}`);
  const passed = [
    `status: ${String(status)}`,
    `code: ${JSON.stringify(code)}`,
    `message: ${printText(message)}`,
    ...(hint === undefined ? [] : [`hint: ${printHint(hint)}`]),
    ...(fields.length > 0 ? ["extra: fields"] : []),
    ...(own.length > 0 ? [`headers: { ${own.join(", ")}, ...headers }`] : []),
  ];
  const name = variant === undefined ? code : `${code}/${variant}`;
  return `  ${JSON.stringify(name)}: (${received.join(", ")}) =>\n    new RequestError({ ${passed.join(", ")} }),\n`;
};

/** Prints a text as a template literal if it has parameters, otherwise as a string. */
const printText = (text: string): string =>
  parametersOf(text).length === 0
    ? JSON.stringify(text)
    : `\`${replaceParameters(text.replaceAll(/[`\\$]/g, "\\$&"), (name) => `\${${name}}`)}\``;

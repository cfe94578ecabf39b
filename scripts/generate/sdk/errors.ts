import type { Contract, ErrorCode, JsonSchema } from "../contract/contract.js";
import { comment } from "./comments.js";
import { codeClass, header, statusClass } from "./names.js";
import { typeWriter } from "./types.js";

/** Fields that every `ApiError` has. */
const common = new Set(["code", "message", "hint", "issues"]);

/** Generates a class for each status and a subclass for each code, with the fields that the code adds. */
export const generateErrors = (contract: Contract): string => {
  const codes = contract.errorCodes;
  const classes = [
    ...statusesOf(contract).map(statusDeclaration),
    ...codes.map((code) => codeDeclaration(code, contract)),
  ];
  return [
    header,
    'import { ApiError } from "../api-error.js";\n',
    ...classes,
    "/** Error class of each known code. Can be augmented with the codes of another service. */",
    `export interface ErrorByCode extends PublicErrorByCode {\n${codes.map(({ code }) => `  "${code}": ${codeClass(code)};\n`).join("")}}\n`,
    "/** An error code of this version of the contract. */",
    "export type ErrorCode = Exclude<keyof ErrorByCode, keyof PublicErrorByCode>;\n",
    "/** Error class of each code that programs written for Prisma's Management API know: the class of its status. */",
    `export interface PublicErrorByCode {\n${publicCodesOf(contract)
      .map(([code, status]) => `  "${code}": ${statusClass(status)} & { readonly code: "${code}" };\n`)
      .join("")}}\n`,
  ].join("\n");
};

/**
 * Generates the same as data. Errors are created from it and `instanceof` compares kinds, so a bundler can drop each class
 * that a program does not use.
 */
export const generateErrorKinds = (contract: Contract): string => {
  const added = contract.errorCodes.map((entry) => ({
    code: entry.code,
    names: Object.keys(addedFields(entry, contract).properties),
  }));
  return [
    header,
    "/** Kinds of each status: its own, then those of its codes. */",
    `export const kindsByStatus: Readonly<Record<number, string>> = {\n${statusesOf(contract)
      .map((status) => {
        const below = contract.errorCodes.filter((entry) => entry.status === status).map(({ code }) => code);
        return `  ${status}: "${[statusClass(status), ...below].join(" ")}",\n`;
      })
      .join("")}};\n`,
    "/** Statuses of the codes of Prisma's Management API. */",
    `export const publicCodes: Readonly<Record<string, number>> = ${JSON.stringify(Object.fromEntries(publicCodesOf(contract)))};\n`,
    "/** Names of the fields that a code adds to its error. */",
    `export const fieldsByCode: Readonly<Record<string, readonly string[]>> = {\n${added
      .filter(({ names }) => names.length > 0)
      .map(({ code, names }) => `  "${code}": ${JSON.stringify(names)},\n`)
      .join("")}};\n`,
  ].join("\n");
};

const publicCodesOf = ({ document }: Contract): [code: string, status: number][] =>
  Object.entries(document["x-public-error-codes"] ?? {});

const statusesOf = ({ errorCodes, operations }: Contract): number[] => {
  const inCatalog = errorCodes.map(({ status }) => status);
  const listed = operations.flatMap(({ errors }) => errors.map(({ status }) => status));
  return [...new Set([...inCatalog, ...listed])].sort((a, b) => a - b);
};

const statusDeclaration = (status: number): string =>
  `/** The service responded with status ${status}. */
export class ${statusClass(status)} extends ApiError {
  static override readonly kind: string = "${statusClass(status)}";
  static override readonly status: number = ${status};
  declare readonly status: ${status};
}
`;

const codeDeclaration = (entry: ErrorCode, contract: Contract): string => {
  const { code, status, description } = entry;
  const { properties, required } = addedFields(entry, contract);
  const names = Object.keys(properties);
  const fields = typeWriter(contract)
    .fields({ properties, required }, "  ")
    .replace(/^ {2}(?=\w+\??:)/gm, "  declare readonly ");
  const register = names.length
    ? `  static override readonly fields: readonly string[] = ${JSON.stringify(names).replaceAll(",", ", ")};\n`
    : "";
  return `${comment([`\`${code}\` (${status}): ${description}`])}export class ${codeClass(code)} extends ${statusClass(status)} {
  static override readonly kind: string = "${code}";
${register}  declare readonly code: "${code}";
${fields.replace("declare readonly name:", "declare readonly name:")}}
`;
};

const addedFields = (
  { schema, code }: ErrorCode,
  { schemas, resolve }: Contract,
): { properties: Record<string, JsonSchema>; required: string[] } => {
  const error = schemas[schema]?.properties?.["error"];
  if (!error) throw new Error(`The schema ${schema} of the error code ${code} has no property "error"`);
  const { properties = {}, required = [] } = resolve(error);
  const added = Object.entries(properties).filter(([name]) => !common.has(name));
  return { properties: Object.fromEntries(added), required };
};

import type { Contract, ErrorCode, JsonSchema } from "./contract.js";
import { comment } from "./sdk-docs.js";
import { codeClass, header, statusClass } from "./sdk-names.js";
import { typeWriter } from "./sdk-types.js";

/** What every `ApiError` has already. */
const common = new Set(["code", "message", "hint", "issues"]);

/** One class a status, and below it one class a code, with the fields that the code adds to the error. */
export const generateErrors = (contract: Contract): string => {
  const inCatalog = contract.errorCodes.map(({ status }) => status);
  const answered = contract.operations.flatMap(({ errors }) => errors.map(({ status }) => status));
  const statuses = [...new Set([...inCatalog, ...answered])].sort((a, b) => a - b);
  const codes = contract.errorCodes;
  const classes = [
    ...statuses.map(statusDeclaration),
    ...codes.map((code) => codeDeclaration(code, contract)),
  ];
  return [
    header,
    'import { ApiError } from "../errors/api-error.js";\n',
    ...classes,
    "/** The error class of every known code. Augment it with the codes of your own service. */",
    `export interface ErrorByCode {\n${codes.map(({ code }) => `  "${code}": ${codeClass(code)};\n`).join("")}}\n`,
    "/** A code that this version of the contract knows. */\nexport type ErrorCode = keyof ErrorByCode;\n",
    "/** For the SDK itself: the classes by status … */",
    `export const statusErrors: readonly (typeof ApiError)[] = ${list(statuses.map(statusClass))};\n`,
    "/** … and by code. */",
    `export const codeErrors: readonly (typeof ApiError)[] = ${list(codes.map(({ code }) => codeClass(code)))};\n`,
  ].join("\n");
};

const list = (names: string[]): string => `[\n${names.map((name) => `  ${name},\n`).join("")}]`;

const statusDeclaration = (status: number): string =>
  `/** The service answered ${status}. */
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
  if (!error) throw new Error(`The catalog gives ${code} the schema ${schema}, which has no error`);
  const { properties = {}, required = [] } = resolve(error);
  const added = Object.entries(properties).filter(([name]) => !common.has(name));
  return { properties: Object.fromEntries(added), required };
};

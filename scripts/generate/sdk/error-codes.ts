import type { Contract, Operation } from "../contract/contract.js";
import { ensureOperations } from "./ensure.js";
import { header } from "./names.js";

/** Generates the codes of the errors that each method of the client may return, and the classes of its own errors. */
export const generateErrorCodes = (contract: Contract): string => {
  const common = commonCodes(contract);
  const methods = [
    ...contract.operations.map((operation) => ({ method: operation.id, calls: [operation] })),
    ...ensureOperations(contract),
  ];
  const codesOfCalls = (calls: Operation[]): string[] => [
    ...new Set(calls.flatMap((operation) => codesOf(operation, contract))),
  ];
  const rows = methods.map(({ method, calls }) => {
    const own = codesOfCalls(calls).filter((code) => !common.includes(code));
    return `  "${method}": ${["CommonErrorCode", ...own.map((code) => `"${code}"`)].join(" | ")};\n`;
  });
  const isPaged = (calls: Operation[]): boolean => calls.some(({ success }) => success.paged);
  const paged = methods.filter(({ calls }) => isPaged(calls));
  const classes = methods.map(({ method, calls }) => {
    const others = [
      ...(isPaged(calls) ? ["PagingError"] : []),
      ...(codesOfCalls(calls).includes("approval_required") ? ["ApprovalWaitError"] : []),
    ];
    const all = [`ErrorByCode[ErrorCodesByMethod["${method}"]]`, ...others];
    return `  "${method}": ${all.join(" | ")};\n`;
  });
  const imports = [
    ["PagingError", "../paging-error.js"],
    ["ErrorByCode", "./errors.js"],
    ["ApprovalWaitError", "../wait-errors.js"],
  ].filter(([name = ""]) => classes.some((row) => row.includes(name)));
  return `${header}
${imports.map(([name, from]) => `import type { ${name} } from "${from}";\n`).join("")}
/** Codes that every operation may return. */
export type CommonErrorCode = ${common.map((code) => `"${code}"`).join(" | ")};

/** Codes that each method of the client may return. The name of a method is the id of its operation. */
export interface ErrorCodesByMethod {
${rows.join("")}}

/** Methods that read the pages of a list. */
export type PagedMethod = ${paged.map(({ method }) => `"${method}"`).join(" | ") || "never"};

/** Errors that each method of the client may throw, except those that every call may end with. */
export interface OwnErrorByMethod {
${classes.join("")}}
`;
};

/** The codes of every operation. Operations do not list the codes of a server that refuses a request before it knows the operation. */
const commonCodes = (contract: Contract): string[] => {
  const { operations, errorCodes } = contract;
  const listed = operations.map((operation) => codesOf(operation, contract));
  const unlisted = errorCodes
    .map(({ code }) => code)
    .filter((code) => !listed.some((codes) => codes.includes(code)));
  const [first = [], ...others] = listed;
  return [...first.filter((code) => others.every((codes) => codes.includes(code))), ...unlisted];
};

/** Codes of the contract, and those of Prisma's Management API with the same statuses. */
const codesOf = ({ errors }: Operation, { document }: Contract): string[] => {
  const statuses = errors.map(({ status }) => status);
  const isPossible = ([, status]: [string, number]): boolean => statuses.includes(status);
  const publicCodes = Object.entries(document["x-public-error-codes"] ?? {}).filter(isPossible);
  return [...errors.flatMap(({ codes }) => codes), ...publicCodes.map(([code]) => code)];
};

import { type Contract, httpMethods } from "../contract/contract.js";
import { header } from "./names.js";

/** Generates the table of operations, for tools that are built on it. */
export const generateOperations = ({ operations }: Contract): string => {
  const rows = operations.map(({ id, method, path, origin, deprecated, replacedBy }) => {
    const row = {
      method,
      path,
      origin,
      ...(deprecated ? { deprecated } : {}),
      ...(replacedBy ? { replacedBy } : {}),
    };
    const fields = Object.entries(row).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return `  "${id}": { ${fields.join(", ")} },\n`;
  });
  return `${header}
/** HTTP methods of the operations. */
export type HttpMethod = ${httpMethods.map((method) => JSON.stringify(method)).join(" | ")};

/** An operation of the contract. */
export interface OperationInfo {
  method: HttpMethod;
  /** Path template, such as \`/v1/projects/{id}\`. */
  path: string;
  /** \`documented\` for operations of the documentation of Prisma's Management API, \`extended\` for those it mentions without describing them. */
  origin: "documented" | "extended";
  deprecated?: true;
  /** The operation that replaces a deprecated one. */
  replacedBy?: OperationId;
}

/** Id of an operation, which is also the name of its client method. */
export type OperationId =
${operations.map(({ id }) => `  | "${id}"`).join("\n")};

/** All operations of the contract. */
export const operationTable: Readonly<Record<OperationId, OperationInfo>> = {
${rows.join("")}};
`;
};

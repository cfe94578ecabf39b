import type { Contract } from "./contract.js";
import { header } from "./sdk-names.js";

/** The table of operations, for tools that are made of them. */
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
/** What the contract says of an operation. */
export interface OperationInfo {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** \`/v1/projects/{id}\` */
  path: string;
  /** Whether the public document shows the operation, or this contract adds what it only names. */
  origin: "documented" | "extended";
  deprecated?: true;
  /** The operation that a deprecated one gave way to. */
  replacedBy?: OperationId;
}

/** Name of an operation, and of its method on the client. */
export type OperationId =
${operations.map(({ id }) => `  | "${id}"`).join("\n")};

/** Every operation of the contract. */
export const operationTable: Readonly<Record<OperationId, OperationInfo>> = {
${rows.join("")}};
`;
};

import type { Operation } from "../contract/contract.js";
import { comment, deprecation } from "./comments.js";
import { generatedClass, methodName, namespaceClass, safeName } from "./names.js";

/** Returns the signature of the method of an operation in the interface for `client.safe`. Editors inherit texts, but not this tag. */
export const safeMethod = (
  operation: Operation,
  operations: Operation[],
  parameters: string[],
  value: string,
): string => {
  const { id, deprecated } = operation;
  const text = deprecated ? comment([deprecation(operation, operations)], "  ") : "";
  return `${text}  ${methodName(id)}(${parameters.join(", ")}): SafePromise<${value}, MethodError<"${id}">>;\n`;
};

/**
 * Generates the interface of a namespace for `client.safe`. Its signatures are written out, because the compiler would infer them
 * from those of the class again in every program. Its comments are those of the class.
 */
export const safeDeclaration = (namespace: string, children: string[], methods: string[]): string => {
  const fields = children.map(
    (child) => `  readonly ${child.slice(namespace.length + 1)}: ${safeName(namespaceClass(child))};\n`,
  );
  const text = comment([`\`client.safe.${namespace}\``]);
  return `${text}export interface ${safeName(generatedClass(namespace))} extends Documented<${generatedClass(namespace)}> {
${fields.join("")}${methods.join("")}}
`;
};

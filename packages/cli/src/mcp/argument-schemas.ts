import type { CheckedSchema } from "../json/schema-problems.js";
import { findSchemaProblems } from "../json/schema-problems.js";
import { invalidArgumentsError } from "../errors/mcp-errors.js";
import type { InputSchema } from "./operation-tool.js";
import type { ToolArguments } from "./tool.js";

/** Arguments of the tools that write a secret into an env file. */
export const envArguments: Readonly<Record<string, CheckedSchema>> = {
  envFile: { type: "string", minLength: 1, maxLength: 1_024 },
  envName: { type: "string", minLength: 1, maxLength: 128 },
};

export const dryRunArgument: Readonly<Record<string, CheckedSchema>> = { dryRun: { type: "boolean" } };

/** Returns a schema with more properties. */
export const extendSchema = (
  schema: InputSchema,
  ...properties: readonly Readonly<Record<string, CheckedSchema>>[]
): InputSchema => ({ ...schema, properties: Object.assign({}, schema.properties, ...properties) });

/** Throws `mcp:invalid_arguments` for arguments that a tool does not have, and for values that it does not accept. */
export const assertArguments = (tool: string, schema: InputSchema, args: ToolArguments): void => {
  const problems = findSchemaProblems({ ...schema, additionalProperties: false }, args);
  if (problems.length === 0) return;
  const lines = problems.slice(0, 5).map(({ path, message }) => [path.join("."), message].join(" ").trim());
  throw invalidArgumentsError(tool, lines);
};

/**
 * Returns a schema as a client sees it: without what only messages need. Every tool costs its client as many tokens as its schema has.
 */
export const toListedSchema = (schema: CheckedSchema): object => {
  const {
    pattern: _p,
    patternErrorMessage: _m,
    minLength: _n,
    maxLength: _x,
    format: _f,
    ...listed
  } = schema;
  const { properties, oneOf, anyOf, additionalProperties, ...others } = listed;
  return {
    ...others,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, toListedSchema(inner)]),
      ),
    }),
    ...(oneOf && { oneOf: oneOf.map(toListedSchema) }),
    ...(anyOf && { anyOf: anyOf.map(toListedSchema) }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: toListedSchema(additionalProperties),
    }),
  };
};

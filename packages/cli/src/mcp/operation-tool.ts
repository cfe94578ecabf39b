import type { CheckedSchema } from "../json/schema-problems.js";

/** The effects that a tool declares. See https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface ToolAnnotations {
  /** Whether it changes nothing: its operation is a GET. */
  readonly readOnlyHint: boolean;
  /** Whether an agent needs an approval for it. */
  readonly destructiveHint: boolean;
  /** Whether a repeated call changes nothing more. */
  readonly idempotentHint: boolean;
}

/** The JSON Schema of the arguments of a tool. */
export interface InputSchema extends CheckedSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, CheckedSchema>>;
}

/** A tool for an operation of the contract, as `npm run generate` writes it. */
export interface OperationTool {
  /** `workspaces_serviceTokens_list` */
  readonly name: string;
  /** Id of the operation: `workspaces.serviceTokens.list`. */
  readonly operation: string;
  /** Whether it creates a resource unless one with the same identity exists. The operation is its `create`. */
  readonly ensures?: true;
  readonly summary: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: InputSchema;
  /** The arguments that are path parameters. */
  readonly pathArguments: readonly { readonly argument: string; readonly parameter: string }[];
  /** The arguments that are query parameters of the same name. */
  readonly queryArguments: readonly string[];
  /** The arguments that are fields of the body. Absent if the operation has no body. */
  readonly bodyArguments?: readonly string[];
  /** Where the arguments have ids, and the resource type of each id. */
  readonly ids: readonly { readonly path: readonly string[]; readonly resourceType: string }[];
  /** Fields of the body that are secrets, and so no arguments. */
  readonly secretArguments?: readonly string[];
  /** Whether its result has a secret that is returned only once. */
  readonly issuesSecrets?: true;
}

import type { OperationInfo } from "@mgmt/sdk";

/** An operation as the generator writes it into `generated/commands/*.ts`. */
export interface GeneratedCommand {
  /** `workspaces.serviceTokens.list` */
  readonly id: string;
  /** Path of the command, without `mgmt`: `["workspaces", "service-tokens", "list"]`. */
  readonly commandPath: readonly string[];
  readonly method: OperationInfo["method"];
  readonly path: string;
  readonly origin: "documented" | "extended";
  readonly summary: string;
  readonly description: string;
  /** Path of the command that replaces a deprecated one. Empty if there is none. */
  readonly deprecated?: { readonly replacedBy: readonly string[] };
  /** Path parameters, in the order of the path. */
  readonly arguments: readonly PathArgument[];
  readonly query: readonly Field[];
  readonly body?: {
    readonly required: boolean;
    readonly fields: readonly Field[];
    /** Example bodies of the contract, which the help shows as command lines. */
    readonly examples: readonly unknown[];
  };
  /** Whether an agent needs its sponsor's approval. */
  readonly approval?: boolean;
  /** How the response body wraps its value. */
  readonly envelope: "none" | "data" | "list" | "bare";
  /** Whether the list has pages with cursors. */
  readonly paged: boolean;
  /** Component schema of the resource, or of one item of the list. */
  readonly resource?: string;
  /** How `ensure` identifies the resource that this operation creates. Absent if the contract declares no identity. */
  readonly ensure?: EnsureRule;
  /** The credentials to create for a new resource. Absent if its response contains them, or there are none. */
  readonly credentials?: CredentialsRule;
  /** The secrets in the resource. Absent if it has none. */
  readonly secrets?: SecretFields;
}

export interface EnsureRule {
  /** Body fields that identify the resource, the preferred one first. */
  readonly identities: readonly string[];
  /** Component schema of a resource that already exists. */
  readonly existing?: string;
  /** Error code of the operation for an identity that is in use. */
  readonly conflict: string;
}

export interface CredentialsRule {
  /** Where the credentials are in the printed resource. */
  readonly property: string;
  /** Id of the operation that creates them. */
  readonly operation: string;
  /** Body field with the id of the resource. */
  readonly parent: string;
  /** The other fields of the body. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SecretFields {
  /** Dotted paths, where `*` is every item of a list or every value of a map: `connections.*.directConnection.pass`. */
  readonly paths: readonly string[];
  /** Whether the operation creates or rotates them, so that its result is the only place to show them. */
  readonly issued: boolean;
}

export interface PathArgument {
  /** Name in the contract: `id`. */
  readonly name: string;
  /** Name in the help: `project-id`. */
  readonly label: string;
  readonly help: string;
  /** Kind of resource that the id identifies, and the prefix of its ids. */
  readonly resource?: string;
  readonly prefix?: string;
}

export interface Field {
  /** Where the value goes: `["source", "databaseId"]`. */
  readonly path: readonly string[];
  /** Flag without its dashes: `source-database-id`. */
  readonly flag: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "json";
  readonly help: string;
  /** `with-parent`: required only if another field of the same object is set. */
  readonly required?: "always" | "with-parent" | undefined;
  readonly nullable?: boolean;
  /** Read from a file or standard input only. */
  readonly secret?: boolean;
  readonly deprecated?: boolean;
  /** For ids. The service looks them up, so their pattern is not checked here. */
  readonly prefix?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly pattern?: string;
  /** The values that the pattern allows, in words. */
  readonly patternWords?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The operations that share their first word. Loaded when one of them is called. */
export interface CommandGroup {
  readonly name: string;
  readonly load: () => Promise<readonly GeneratedCommand[]>;
}

/** A JSON Schema. See https://json-schema.org/draft/2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** The response of an operation as the contract describes it. */
export interface OperationResult {
  /** Schema of the resource, or of one item of the list. */
  readonly item?: Schema;
  readonly errors: readonly { readonly code: string; readonly status: number }[];
}

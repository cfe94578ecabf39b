import type { HttpMethod } from "./generated/operation-id.js";

/** What the generator writes about an operation; `generated/commands/*.ts` hold one row an operation. */
export interface OperationCommand {
  /** `workspaces.serviceTokens.list` */
  readonly id: string;
  /** What is typed after `mgmt`: `["workspaces", "service-tokens", "list"]`. */
  readonly words: readonly string[];
  readonly method: HttpMethod;
  readonly path: string;
  readonly origin: "documented" | "extended";
  readonly summary: string;
  readonly description: string;
  /** Words of the command that replaces a deprecated one; empty when nothing does. */
  readonly deprecated?: { readonly replacedBy: readonly string[] };
  /** Path parameters, in the order of the path. */
  readonly arguments: readonly PathArgument[];
  readonly query: readonly Field[];
  readonly body?: {
    readonly required: boolean;
    readonly fields: readonly Field[];
    /** Bodies of the contract's examples; the help turns them into command lines. */
    readonly examples: readonly unknown[];
  };
  /** An agent needs its sponsor's word for it. */
  readonly approval?: boolean;
  /** How the success body wraps its value. */
  readonly envelope: "none" | "data" | "list" | "bare";
  /** The list goes on with a cursor. */
  readonly paged: boolean;
  /** Component schema of the resource, or of one item of the list. */
  readonly resource?: string;
}

export interface PathArgument {
  /** As the contract has it: `id`. */
  readonly name: string;
  /** As the help shows it: `project-id`. */
  readonly label: string;
  readonly help: string;
  /** Kind of resource that the id names, and the prefix of such ids. */
  readonly resource?: string;
  readonly prefix?: string;
}

export interface Field {
  /** Where the value goes: `["source", "databaseId"]`. */
  readonly path: readonly string[];
  /** Without its dashes: `source-database-id`. */
  readonly flag: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "json";
  readonly help: string;
  /** `with-parent`: only once something else of the same object is given. */
  readonly required?: "always" | "with-parent" | undefined;
  readonly nullable?: boolean;
  /** Taken from a file or standard input only. */
  readonly secret?: boolean;
  readonly deprecated?: boolean;
  /** An id: the server looks it up, no pattern is checked here. */
  readonly prefix?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The commands that share their first word; loaded when one of them is called. */
export interface CommandGroup {
  readonly name: string;
  readonly load: () => Promise<readonly OperationCommand[]>;
}

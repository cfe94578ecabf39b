import type { idPatterns } from "../generated/ids.js";
import type { HttpMethod, OperationShapes } from "../generated/operation-shapes.js";
import type { Kind } from "./ids.js";

export interface QueryParameter {
  readonly name: string;
  readonly type: "string" | "integer";
  /** The kind of resource that the id belongs to. */
  readonly kind: Kind | null;
}

/** The engine's data about an operation, generated from the contract. */
export interface OperationEntry {
  readonly id: keyof OperationShapes;
  readonly method: HttpMethod;
  /** Path template, such as `/v1/projects/{id}`. */
  readonly path: string;
  readonly pathKinds: Readonly<Record<string, keyof typeof idPatterns>>;
  readonly query: readonly QueryParameter[];
  readonly body: "none" | "optional" | "required";
  /** Places of ids in the body. */
  readonly bodyIds: readonly { readonly path: readonly string[]; readonly kind: Kind }[];
  /** Fields of the body that are access tokens of another user. */
  readonly secretFields: readonly string[];
  /** JSON pointers of fields that have their own error code for rejected values. */
  readonly fieldCodes: Readonly<Record<string, string>>;
  /** JSON pointers of the fields of the objects in the body, including fields that only some alternatives of a union have. */
  readonly nestedFields: readonly string[];
  readonly maxBodyBytes: number | null;
  readonly rateLimited: boolean;
  readonly agentApproval: "required" | "never" | null;
  readonly foreignStatus: 403 | 404;
  readonly malformedIdStatus: 404 | 422;
  /** Every status of its responses, with the error codes of each. */
  readonly responses: Readonly<Record<number, readonly string[]>>;
}

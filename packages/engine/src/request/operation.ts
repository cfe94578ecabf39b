import type { HttpMethod, OperationShapes } from "../generated/operation-shapes.js";
import type { Kind } from "./ids.js";

export interface QueryParameter {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean";
  /** The kind of resource whose id it is. */
  readonly kind: Kind | null;
}

/** What the engine knows of one operation; generated from the contract. */
export interface OperationEntry {
  readonly id: keyof OperationShapes;
  readonly method: HttpMethod;
  /** Template: `/v1/projects/{id}`. */
  readonly path: string;
  readonly pathKinds: Readonly<Record<string, Kind>>;
  readonly query: readonly QueryParameter[];
  readonly body: "none" | "optional" | "required";
  /** Where ids stand in the body. */
  readonly bodyIds: readonly { readonly path: readonly string[]; readonly kind: Kind }[];
  /** Fields of the body that are access tokens of somebody else. */
  readonly secretFields: readonly string[];
  /** JSON pointers of fields whose rejected values have an error code of their own. */
  readonly fieldCodes: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number | null;
  readonly rateLimited: boolean;
  readonly agentApproval: "required" | "never" | null;
  readonly foreignStatus: 403 | 404;
  readonly malformedIdStatus: 404 | 422;
  /** Every status that it can answer, with the error codes of each. */
  readonly answers: Readonly<Record<number, readonly string[]>>;
}

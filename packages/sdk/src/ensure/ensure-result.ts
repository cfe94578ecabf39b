import type { RequestOptions } from "../request/call.js";

/** Options of an `ensure` that also creates credentials for a new resource. */
export interface EnsureOptions<Issues extends boolean = true> extends RequestOptions {
  /** Whether to create credentials for a new resource. Default: true. */
  credentials?: Issues | undefined;
}

/** The credentials in the result of `ensure`, whose option `credentials` is `Issues`. */
export type CredentialsIf<Issues extends boolean, Credentials> = Issues extends true ? Credentials : unknown;

/**
 * Result of `ensure`. `Credentials` are the properties with the credentials that `ensure` creates for a new resource whose
 * own create returns none.
 */
export type EnsureResult<Created, Found = Created, Credentials = unknown> =
  | ({
      /** The resource was created by this call. The result includes the secrets that are returned only once. */
      readonly created: true;
      readonly resource: Created;
    } & Credentials)
  | {
      /** The resource existed: it was created earlier, by another caller, or by this call if the response was lost. */
      readonly created: false;
      /** The existing resource, unchanged and without the secrets that are returned only once. */
      readonly resource: Found;
    };

import type { RequestOptions } from "../request/call.js";

/** Options of an `ensure`. */
export interface EnsureRequestOptions extends RequestOptions {
  /** Whether only to report the change that would be made; see `DryRunOptions`. Default: false. */
  dryRun?: false | undefined;
}

/**
 * Options of an `ensure` whose `dryRun` is a variable. The result is an `EnsurePlan`, which has `action`, or an `EnsureResult`, which
 * has `created`.
 */
export interface MaybeDryRunOptions extends RequestOptions {
  /** True to report only the change that would be made; see `DryRunOptions`. Default: false. */
  dryRun?: boolean | undefined;
}

/** Options of an `ensure` that only reports the change that it would make. */
export interface DryRunOptions extends MaybeDryRunOptions {
  /** Sends no request but GET, and returns an `EnsurePlan`. */
  dryRun: true;
}

/** Options of an `ensure` that also creates credentials for a new resource. */
export interface EnsureOptions<Issues extends boolean = true> extends EnsureRequestOptions {
  /** Whether to create credentials for a new resource. Default: true. */
  credentials?: Issues | undefined;
}

/** The options of every kind of `ensure`. */
export type AnyEnsureOptions = MaybeDryRunOptions & Pick<EnsureOptions<boolean>, "credentials">;

/**
 * The effect that an `ensure` would have at the time of a dry run, by `action`. Another program may create or delete the resource before
 * the real one. The service has not checked the body.
 */
export type EnsurePlan<Found> =
  | {
      /** It would create the resource. */
      readonly action: "create";
      readonly resource: undefined;
    }
  | {
      /** It would return the existing resource, unchanged. */
      readonly action: "none";
      readonly resource: Found;
    }
  | {
      /** It would throw, because another resource has the same value of `property`, but another identity. */
      readonly action: "conflict";
      readonly resource: Found;
      /** The property of both resources, such as `name`. */
      readonly property: string;
    };

/** The credentials in the result of `ensure`, whose option `credentials` is `Issues`. */
export type CredentialsIf<Issues extends boolean, Credentials> = Issues extends true ? Credentials : unknown;

/**
 * Result of `ensure`. `Credentials` are the properties with the credentials that `ensure` creates for a new resource whose
 * own create returns none.
 */
export type EnsureResult<Created, Found = Created, Credentials = unknown> =
  | ({
      /** The resource was created by this call. The result includes the connection strings, which are returned only once. */
      readonly created: true;
      readonly resource: Created;
    } & Credentials)
  | {
      /** The resource existed: it was created earlier, by another caller, or by this call if the response was lost. */
      readonly created: false;
      /**
       * The existing resource, unchanged and without connection strings. The connections of a database may have passwords; see
       * `Connection.directConnection`.
       */
      readonly resource: Found;
    };

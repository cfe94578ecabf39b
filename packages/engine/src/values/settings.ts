import type { OperationId } from "../generated/operations.js";

/** Settings that an operator or a test can choose. `defaultSettings` has the defaults. */
export interface Settings {
  /**
   * URL of the API, without a trailing slash and without `/v1`. Also the audience of access tokens. With a path in it,
   * logins need an `authUrl`.
   */
  readonly baseUrl: string;
  /** Origin of the authorization server; the issuer of access tokens. A `baseUrl` without `authUrl` sets both. */
  readonly authUrl: string;
  readonly lifecycle: LifecycleSettings;
  readonly limits: LimitSettings;
  /** How to handle body fields that are not in the contract: `refuse` is a 422, `ignore` drops them and logs their names. */
  readonly unknownFields: UnknownFields;
  /**
   * Error codes in responses: the codes of the contract, or the codes of Prisma's Management API. Codes for which no public one is known
   * stay the same.
   */
  readonly errorCodes: ErrorCodes;
  /** Requests that a principal may send to rate-limited operations; null: no limit. */
  readonly rateLimit: RateLimitSettings | null;
  readonly approvals: ApprovalSettings;
  readonly backups: BackupSettings;
  readonly subscription: SubscriptionSettings;
  readonly oauth: OAuthSettings;
}

/**
 * Which error codes responses have: the codes of the contract, or the codes of Prisma's Management API where it has one for the operation
 * and status.
 */
export type ErrorCodes = "contract" | "public";

/** What happens to a request whose body has fields that the contract does not have. */
export type UnknownFields = "refuse" | "ignore";

/** Durations of state transitions, in milliseconds. */
export interface LifecycleSettings {
  /** A new database, empty or copied, from `provisioning` to `ready`. */
  readonly provisioning: number;
  /** A restored database from `recovering` to `ready`. */
  readonly recovering: number;
  /** A started deployment from `provisioning` to `running`. */
  readonly deploymentStart: number;
  /** A stopped deployment from `stopping` to `stopped`. */
  readonly deploymentStop: number;
}

/** The largest requests that the server accepts. */
export interface LimitSettings {
  /** Maximum bytes of a request body, unless the contract has a smaller limit. */
  readonly body: number;
  /** Maximum bytes of a request body for which the contract has a smaller limit (apps and services). */
  readonly appBody: number;
  /** Maximum bytes of an uploaded deployment artifact. */
  readonly upload: number;
}

/** How many requests a principal may send in a window of time. */
export interface RateLimitSettings {
  /** Number of requests that each principal may send in a window. */
  readonly requests: number;
  /** Length of a window, in milliseconds. */
  readonly window: number;
  /** The operations to limit. Default: those that the contract marks with `x-rate-limited`. */
  readonly operations?: readonly OperationId[] | undefined;
}

/** Durations are in milliseconds. See the `Approval` schema. */
export interface ApprovalSettings {
  /** Operations that need an approval, in addition to those that the contract marks. */
  readonly operations: readonly string[];
  /** How long a pending approval waits for a decision, and how long a denial applies. */
  readonly pending: number;
  /** How long an approval can be used after it was given. */
  readonly approved: number;
  /** Default length of a window. */
  readonly window: number;
  /** Maximum length of a window. */
  readonly maxWindow: number;
}

/** The retention that lists of backups report. */
export interface BackupSettings {
  /** Value of `meta.backupRetentionDays` in lists of backups. */
  readonly retentionDays: number;
}

/** The subscription of every workspace. See the `Subscription` schema. */
export interface SubscriptionSettings {
  readonly planName: string;
  readonly usageBlocked: boolean;
}

/** Lifetimes in milliseconds. */
export interface OAuthSettings {
  /** Lifetime of an authorization code. */
  readonly code: number;
  /** Lifetime of an access token that a login issues. */
  readonly accessToken: number;
  /** Lifetime of a refresh token. Each use issues a new one. */
  readonly refreshToken: number;
  /** How long a login can be refreshed in total. It then ends with all its tokens. */
  readonly refreshFamily: number;
  /** How long after its first use a refresh token is accepted once more. */
  readonly refreshGrace: number;
}

const minuteMs = 60_000;

export const defaultSettings: Settings = {
  baseUrl: "https://api.mgmt.test",
  authUrl: "https://auth.mgmt.test",
  lifecycle: { provisioning: 1_000, recovering: 1_000, deploymentStart: 1_000, deploymentStop: 500 },
  limits: { body: 1024 * 1024, appBody: 64 * 1024, upload: 100 * 1024 * 1024 },
  unknownFields: "refuse",
  errorCodes: "contract",
  rateLimit: null,
  approvals: {
    operations: [],
    pending: 15 * minuteMs,
    approved: 15 * minuteMs,
    window: 60 * minuteMs,
    maxWindow: 24 * 60 * minuteMs,
  },
  backups: { retentionDays: 7 },
  subscription: { planName: "Local", usageBlocked: false },
  oauth: {
    code: minuteMs,
    accessToken: 60 * minuteMs,
    refreshToken: 90 * 24 * 60 * minuteMs,
    refreshFamily: 180 * 24 * 60 * minuteMs,
    refreshGrace: 10_000,
  },
};

/** What an operator or a test may choose. Every value has a default (`defaultSettings`). */
export interface Settings {
  /** Origin of the API, without a trailing slash and without `/v1`. Also the audience of access tokens. */
  readonly baseUrl: string;
  /** Origin of the authorization server; the issuer of access tokens. */
  readonly authUrl: string;
  readonly lifecycle: LifecycleSettings;
  readonly limits: LimitSettings;
  /** Requests that a principal may send to rate-limited operations; null: no limit. */
  readonly rateLimit: RateLimitSettings | null;
  readonly approvals: ApprovalSettings;
  readonly backups: BackupSettings;
  readonly subscription: SubscriptionSettings;
  readonly oauth: OAuthSettings;
}

/** How long transitions take, in milliseconds. */
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

export interface LimitSettings {
  /** Bytes of a request body, where the contract has no smaller cap. */
  readonly body: number;
  /** Bytes of a request body where the contract has its smaller cap (apps and services). */
  readonly appBody: number;
  /** Bytes of an uploaded deployment artifact. */
  readonly upload: number;
}

export interface RateLimitSettings {
  readonly requests: number;
  /** Milliseconds. */
  readonly window: number;
}

/** Times in milliseconds (§ Agents and approvals). */
export interface ApprovalSettings {
  /** Operations that need the sponsor's word, besides those that the contract marks. */
  readonly operations: readonly string[];
  /** How long a request for approval waits for a decision, and how long a denial holds. */
  readonly pending: number;
  /** How long an approval waits for its request. */
  readonly approved: number;
  /** Default length of a window. */
  readonly window: number;
  readonly maxWindow: number;
}

export interface BackupSettings {
  /** `meta.backupRetentionDays`. */
  readonly retentionDays: number;
}

/** The subscription of every workspace. See the `Subscription` schema. */
export interface SubscriptionSettings {
  readonly planName: string;
  readonly usageBlocked: boolean;
}

/** Times in milliseconds (§ Authentication). */
export interface OAuthSettings {
  /** How long a code can be redeemed. */
  readonly code: number;
  /** How long an access token of a login lives. */
  readonly accessToken: number;
  /** How long a refresh token can be used. Each use gives a new one. */
  readonly refreshToken: number;
  /** How long after its use a refresh token is answered once more. */
  readonly refreshGrace: number;
}

const minute = 60_000;

export const defaultSettings: Settings = {
  baseUrl: "https://api.mgmt.test",
  authUrl: "https://auth.mgmt.test",
  lifecycle: { provisioning: 1_000, recovering: 1_000, deploymentStart: 1_000, deploymentStop: 500 },
  limits: { body: 1024 * 1024, appBody: 64 * 1024, upload: 100 * 1024 * 1024 },
  rateLimit: null,
  approvals: {
    operations: [],
    pending: 15 * minute,
    approved: 15 * minute,
    window: 60 * minute,
    maxWindow: 24 * 60 * minute,
  },
  backups: { retentionDays: 7 },
  subscription: { planName: "Local", usageBlocked: false },
  oauth: {
    code: minute,
    accessToken: 60 * minute,
    refreshToken: 90 * 24 * 60 * minute,
    refreshGrace: 10_000,
  },
};

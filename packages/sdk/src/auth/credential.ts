/** The result of a login, as stored: plain JSON. Its tokens are secrets: never log them. */
export interface Credential {
  accessToken: string;
  /**
   * Valid for a single use: each refresh returns the next one. Absent if the login did not request `offline_access`.
   */
  refreshToken?: string | undefined;
  /** When the access token was issued, in milliseconds since the Unix epoch. */
  issuedAt?: number | undefined;
  /** When the access token expires, in milliseconds since the Unix epoch. Absent if the server did not report it. */
  expiresAt?: number | undefined;
  /** Scopes that were granted. */
  scopes: string[];
  /** Issuer of the tokens. They are never sent to another authorization server. */
  issuer: string;
  /** Client that the tokens were issued to. */
  clientId: string;
}

const isNonEmptyString = (value: unknown): value is string => typeof value === "string" && value !== "";
const isOptionalTimestamp = (value: unknown): value is number | undefined =>
  value === undefined || (typeof value === "number" && Number.isFinite(value));

/** Reports whether a value is a credential. Ignores additional fields. */
export const isCredential = (value: unknown): value is Credential => {
  if (typeof value !== "object" || value === null) return false;
  // The check above proves that this is an object; the types of its fields are unknown.
  const fields = value as Partial<Record<keyof Credential, unknown>>;
  return (
    isNonEmptyString(fields.accessToken) &&
    (fields.refreshToken === undefined || isNonEmptyString(fields.refreshToken)) &&
    isOptionalTimestamp(fields.issuedAt) &&
    isOptionalTimestamp(fields.expiresAt) &&
    Array.isArray(fields.scopes) &&
    fields.scopes.every(isNonEmptyString) &&
    isNonEmptyString(fields.issuer) &&
    isNonEmptyString(fields.clientId)
  );
};

/** How urgently a new access token is needed. */
export type RenewalUrgency = "none" | "soon" | "now";

/** Returns how urgently a new access token is needed. See the table at `createAuthenticator`. */
export const computeRenewalUrgency = (
  credential: Credential | undefined,
  rejected?: string,
): RenewalUrgency => {
  if (!credential || credential.accessToken === rejected) return "now";
  const { refreshToken, issuedAt, expiresAt = Number.POSITIVE_INFINITY } = credential;
  const remainingMs = expiresAt - Date.now();
  // The clock that issued it is ahead, so it may have expired together with the rejected one.
  if (rejected !== undefined && issuedAt !== undefined && issuedAt > Date.now()) return "now";
  if (refreshToken === undefined) return remainingMs > 0 ? "none" : "now";
  const lifetimeMs = issuedAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - issuedAt;
  if (remainingMs < Math.min(30_000, lifetimeMs / 16)) return "now";
  return remainingMs < Math.min(120_000, lifetimeMs / 4) ? "soon" : "none";
};

/** Reports whether the access token has not expired. */
export const isUnexpired = ({ expiresAt = Number.POSITIVE_INFINITY }: Credential): boolean =>
  Date.now() < expiresAt;

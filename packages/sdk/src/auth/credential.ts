/** What a login gives, and a store keeps: plain JSON. Its tokens are secrets: never log one. */
export interface Credential {
  accessToken: string;
  /** Usable once: each refresh gives the next. Absent when the login did not ask for `offline_access`. */
  refreshToken?: string | undefined;
  /** When the access token was given, in milliseconds since 1970. */
  issuedAt?: number | undefined;
  /** When the access token ends, in milliseconds since 1970. Absent when the server did not say. */
  expiresAt?: number | undefined;
  /** What the tokens are good for. */
  scopes: string[];
  /** Authorization server that gave it; it is sent to no other. */
  issuer: string;
  /** Client that it was given to. */
  clientId: string;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isTime = (value: unknown): value is number | undefined =>
  value === undefined || (typeof value === "number" && Number.isFinite(value));

/** Whether a value that was read from somewhere is a credential. Fields that it has besides do no harm. */
export const isCredential = (value: unknown): value is Credential => {
  if (typeof value !== "object" || value === null) return false;
  // The check above makes it an object; of its fields nothing is known yet.
  const fields = value as Partial<Record<keyof Credential, unknown>>;
  return (
    isText(fields.accessToken) &&
    (fields.refreshToken === undefined || isText(fields.refreshToken)) &&
    isTime(fields.issuedAt) &&
    isTime(fields.expiresAt) &&
    Array.isArray(fields.scopes) &&
    fields.scopes.every(isText) &&
    isText(fields.issuer) &&
    isText(fields.clientId)
  );
};

/** How badly a new access token is wanted. */
export type Need = "none" | "soon" | "now";

/** § the table of `createAuthenticator`. */
export const needOf = (credential: Credential | undefined, rejected?: string): Need => {
  if (!credential || credential.accessToken === rejected) return "now";
  const { refreshToken, issuedAt, expiresAt = Number.POSITIVE_INFINITY } = credential;
  const left = expiresAt - Date.now();
  if (refreshToken === undefined) return left > 0 ? "none" : "now";
  const life = issuedAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - issuedAt;
  if (left < Math.min(30_000, life / 16)) return "now";
  return left < Math.min(120_000, life / 4) ? "soon" : "none";
};

/** Whether the service should still take the access token. */
export const isAlive = ({ expiresAt = Number.POSITIVE_INFINITY }: Credential): boolean =>
  Date.now() < expiresAt;

import type { Principal } from "../request/principal.js";

/** What behaviors may ask of access tokens. */
export interface Tokens {
  /** Signs the value of a service token, which is shown once and never kept. `expiresAt` in milliseconds. */
  signServiceToken(token: { id: string; workspaceId: string; expiresAt: number | null }): Promise<string>;
  /**
   * Whose token this is; undefined when it is forged, expired or revoked. Only for tokens in a request's secret body
   * fields: the engine has verified their signatures before `check` runs, so that checks need not wait.
   */
  verified(token: string): Principal | undefined;
}

import type { ValueWithSource } from "../profiles/active-profile.js";
import type { RequestCredential } from "../profiles/resolve-access.js";
import { readStoredLogin, readStoredToken } from "./credential-store.js";
import { parseJwtExpiry } from "./token-source.js";

/** What is printed about a credential; never the token itself. */
export interface CredentialDescription {
  readonly kind: "login" | "token" | null;
  readonly from: string | null;
  readonly store: "file" | "keyring" | null;
  /** When the token expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** Whether it is refreshed before it expires. */
  readonly renews: boolean;
  readonly scopes?: readonly string[];
}

/** The description of a command that has no credential. */
export const noCredentialDescription: CredentialDescription = {
  kind: null,
  from: null,
  store: null,
  endsAt: null,
  renews: false,
};

/** Describes a credential. Returns `noCredentialDescription` if the keyring entry that the profile refers to was deleted. */
export const describeCredential = async ({
  value,
  from,
}: ValueWithSource<RequestCredential>): Promise<CredentialDescription> => {
  if ("token" in value) return describeToken(value.token, from, null);
  const store = value.profile.inKeyring === undefined ? "file" : "keyring";
  const login = await readStoredLogin(value.file, value.name);
  if (login) {
    const { expiresAt, refreshToken, scopes } = login;
    const renews = refreshToken !== undefined;
    return {
      kind: "login",
      from,
      store,
      endsAt: formatIsoTime(expiresAt),
      renews,
      ...(scopes !== undefined && { scopes }),
    };
  }
  const token = await readStoredToken(value);
  return token === undefined ? noCredentialDescription : describeToken(token, from, store);
};

const describeToken = (
  token: string,
  from: string,
  store: "file" | "keyring" | null,
): CredentialDescription => ({
  kind: "token",
  from,
  store,
  endsAt: formatIsoTime(parseJwtExpiry(token)),
  renews: false,
});

const formatIsoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

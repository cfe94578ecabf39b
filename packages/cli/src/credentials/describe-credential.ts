import type { Sourced } from "../profiles/active-profile.js";
import type { Identity } from "../profiles/resolve-access.js";
import { readStoredLogin, readStoredToken } from "./credential-store.js";
import { expiryOf } from "./token-source.js";

/** What is printed about a credential; never the token itself. */
export interface CredentialDescription {
  readonly kind: "login" | "token" | null;
  readonly from: string | null;
  readonly store: "file" | "keyring" | null;
  /** When the token expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** Whether it is refreshed before it expires. */
  readonly renewed: boolean;
  readonly scopes?: readonly string[];
}

export const noCredential: CredentialDescription = {
  kind: null,
  from: null,
  store: null,
  endsAt: null,
  renewed: false,
};

/** Describes a credential. Returns `noCredential` if the keyring entry that the profile refers to was deleted. */
export const describeCredential = async ({
  value,
  from,
}: Sourced<Identity>): Promise<CredentialDescription> => {
  if ("token" in value) return describeToken(value.token, from, null);
  const store = value.profile.inKeyring === undefined ? "file" : "keyring";
  const login = await readStoredLogin(value.file, value.name);
  if (login) {
    const { expiresAt, refreshToken, scopes } = login;
    const renewed = refreshToken !== undefined;
    return {
      kind: "login",
      from,
      store,
      endsAt: isoTime(expiresAt),
      renewed,
      ...(scopes !== undefined && { scopes }),
    };
  }
  const token = await readStoredToken(value);
  return token === undefined ? noCredential : describeToken(token, from, store);
};

const describeToken = (
  token: string,
  from: string,
  store: "file" | "keyring" | null,
): CredentialDescription => ({
  kind: "token",
  from,
  store,
  endsAt: isoTime(expiryOf(token)),
  renewed: false,
});

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

import type { Context, GlobalFlags } from "../../context.js";
import { readStoredLogin, readStoredToken } from "../../credentials/credential-store.js";
import { expiryOf } from "../../credentials/token-source.js";
import { noToken } from "../../errors/access-errors.js";
import { chooseProfile, type Sourced } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { type Identity, resolveAccess } from "../../profiles/resolve-access.js";

/** Prints what commands use, where each value comes from, and when the token expires; never the token itself. */
export const runAuthStatus = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const access = await resolveAccess(flags, context);
  const { baseUrl, identity, choice = chooseProfile(flags, context) } = access;
  const { file, name, profile } = choice;
  const fromProfile = (value: string | undefined): object =>
    printed(value === undefined || !name ? undefined : { value, from: `profile ${name.value}` });
  const credential = identity ? await describeCredential(identity) : noCredential;
  await context.output.result({
    profile: printed(name),
    baseUrl: printed(baseUrl),
    authUrl: fromProfile(profile?.authUrl),
    credential,
    workspace: printed(findDefault("workspaceId", flags, context, () => choice)),
    project: printed(findDefault("projectId", flags, context, () => choice)),
    file,
    link: choice.link?.file ?? null,
  });
  if (!identity || credential === noCredential) throw noToken(baseUrl?.value);
};

const printed = (found: Sourced<string> | undefined): { value: string | null; from: string | null } =>
  found ?? { value: null, from: null };

const noCredential = { kind: null, from: null, store: null, endsAt: null, renewed: false };

/** Returns `noCredential` if the keyring entry that the profile refers to was deleted. */
const describeCredential = async ({ value, from }: Sourced<Identity>): Promise<object> => {
  if ("token" in value) return describeToken(value.token, from, null);
  const store = value.profile.inKeyring === undefined ? "file" : "keyring";
  const login = await readStoredLogin(value.file, value.name);
  if (login) {
    const { expiresAt, refreshToken, scopes } = login;
    const renewed = refreshToken !== undefined;
    return { kind: "login", from, store, endsAt: isoTime(expiresAt), renewed, scopes };
  }
  const token = await readStoredToken(value);
  return token === undefined ? noCredential : describeToken(token, from, store);
};

const describeToken = (token: string, from: string, store: "file" | "keyring" | null): object => {
  return { kind: "token", from, store, endsAt: isoTime(expiryOf(token)), renewed: false };
};

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

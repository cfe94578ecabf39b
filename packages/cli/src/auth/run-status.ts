import { noToken } from "../errors.js";
import type { Found } from "../profiles/active-profile.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { findDefault } from "../profiles/defaults.js";
import { findPlace, type Identity } from "../profiles/place.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { readKeptLogin, readKeptToken } from "./credential-store.js";
import { endOfToken } from "./token-end.js";

/** Says what commands are sent with, where each value comes from, and when the token ends; never the token. */
export const runStatus = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const place = await findPlace(flags, context);
  const { baseUrl, identity, choice = chooseProfile(flags, context.env) } = place;
  const { file, name, profile } = choice;
  const fromProfile = (value: string | undefined): object =>
    shown(value === undefined || !name ? undefined : { value, from: `profile ${name.value}` });
  const credential = identity ? await credentialOf(identity) : noCredential;
  await context.output.answer({
    profile: shown(name),
    baseUrl: shown(baseUrl),
    authUrl: fromProfile(profile?.authUrl),
    credential,
    workspace: shown(findDefault("workspaceId", flags, context.env, () => choice)),
    project: shown(findDefault("projectId", flags, context.env, () => choice)),
    file,
    link: choice.link?.file ?? null,
  });
  if (!identity || credential === noCredential) throw noToken();
};

const shown = (found: Found<string> | undefined): { value: string | null; from: string | null } =>
  found ?? { value: null, from: null };

const noCredential = { kind: null, from: null, store: null, endsAt: null, renewed: false };

/** A profile may say that the keyring holds what somebody has deleted there. */
const credentialOf = async ({ value, from }: Found<Identity>): Promise<object> => {
  if ("token" in value) return tokenShown(value.token, from, null);
  const store = value.profile.inKeyring === undefined ? "file" : "keyring";
  const login = await readKeptLogin(value.file, value.name);
  if (login) {
    const { expiresAt, refreshToken, scopes } = login;
    const renewed = refreshToken !== undefined;
    return { kind: "login", from, store, endsAt: timeOf(expiresAt), renewed, scopes };
  }
  const token = await readKeptToken(value);
  return token === undefined ? noCredential : tokenShown(token, from, store);
};

const tokenShown = (token: string, from: string, store: "file" | "keyring" | null): object => {
  return { kind: "token", from, store, endsAt: timeOf(endOfToken(token)), renewed: false };
};

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

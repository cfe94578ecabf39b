import { noToken } from "../errors.js";
import type { Found } from "../profiles/active-profile.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { findPlace, type Identity } from "../profiles/place.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { readLogin } from "./profile-store.js";
import { endOfToken } from "./token-end.js";

/** Says what commands are sent with, where each value comes from, and when the token ends; never the token. */
export const runStatus = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const place = await findPlace(flags, context);
  const { baseUrl, identity, choice = chooseProfile(flags, context.env) } = place;
  const { file, name, profile } = choice;
  const fromProfile = (value: string | undefined): object =>
    shown(value === undefined || !name ? undefined : { value, from: `profile ${name.value}` });
  await context.output.answer({
    profile: shown(name),
    baseUrl: shown(baseUrl),
    authUrl: fromProfile(profile?.authUrl),
    credential: identity ? credentialOf(identity) : { kind: null, from: null, endsAt: null, renewed: false },
    workspace: fromProfile(profile?.workspaceId),
    project: fromProfile(profile?.projectId),
    file,
  });
  if (!identity) throw noToken();
};

const shown = (found: Found<string> | undefined): { value: string | null; from: string | null } =>
  found ?? { value: null, from: null };

const credentialOf = ({ value, from }: Found<Identity>): object => {
  const login = "token" in value ? undefined : readLogin(value.file, value.name);
  if (login) {
    const { expiresAt, refreshToken, scopes } = login;
    return { kind: "login", from, endsAt: timeOf(expiresAt), renewed: refreshToken !== undefined, scopes };
  }
  const token = "token" in value ? value.token : (value.profile.token ?? "");
  return { kind: "token", from, endsAt: timeOf(endOfToken(token)), renewed: false };
};

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

import { usageError } from "../errors.js";
import { profileNamed } from "../profiles/profile.js";
import { updateProfiles } from "../profiles/update-profiles.js";
import { ask, isAtTerminal } from "../run/ask.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { openBrowser, whyNoBrowser } from "./browser.js";
import { type Caller, readCaller } from "./caller.js";
import { clientId, pasteRedirectUri } from "./client.js";
import { type LoginTarget, loginTarget } from "./login-target.js";
import { askForCallback } from "./paste.js";
import { type Replacement, replaceCredential } from "./replace-credential.js";
import { finishLogin, loginWithLoopback, startLogin } from "./sdk-auth.js";

export interface LoginFlags extends GlobalFlags {
  readonly authUrl?: string;
  /** `--browser`, `--no-browser`; undefined when the surroundings decide. */
  readonly browser?: boolean;
  readonly withToken?: boolean;
  /** Where the credential is kept. Default: where the profile keeps it, or else the file. */
  readonly store?: "file" | "keyring";
}

/** Logs in, keeps the credential in the profile, and says whose it is. */
export const runLogin = async (flags: LoginFlags, context: Context): Promise<void> => {
  if (flags.tokenFile !== undefined) {
    throw usageError("--token-file does not log in", "mgmt login --with-token < FILE does.");
  }
  const target = loginTarget(flags, context);
  const replacement = replaceCredential(target);
  const caller = flags.withToken
    ? await takeToken(target, replacement, context)
    : await authorize(target, replacement, flags, context);
  await settle(target, caller);
  await replacement.putAway(context);
  const { name, profile } = target;
  context.output.say(`Logged in to profile ${name}.`);
  await context.output.answer({ profile: name, baseUrl: profile.baseUrl, ...caller });
};

/** The token is tried before it is kept. */
const takeToken = async (
  { profile }: LoginTarget,
  { store, writeToken }: Replacement,
  context: Context,
): Promise<Caller> => {
  await store.probe?.();
  const token = await readToken(context);
  const caller = await readCaller(profile.baseUrl, token, context);
  await writeToken(token);
  return caller;
};

const readToken = async (context: Context): Promise<string> => {
  if (!isAtTerminal(context)) return context.sources.readSecret("-", "--with-token");
  const token = await ask(context, ({ password }, terminal) =>
    password({ message: "Token:", mask: "*" }, terminal),
  );
  if (token.trim() === "") throw usageError("--with-token: no token was typed");
  return token.trim();
};

const authorize = async (
  { profile }: LoginTarget,
  { store }: Replacement,
  { browser }: LoginFlags,
  context: Context,
): Promise<Caller> => {
  const { env, signal, output } = context;
  const oauth = { authUrl: profile.authUrl, clientId, transport: nodeTransport(), store, signal };
  const reason = browser === undefined ? whyNoBrowser(env) : undefined;
  if (browser ?? reason === undefined) {
    const open = (url: string): Promise<void> => openBrowser(url, context);
    const { accessToken } = await loginWithLoopback({ ...oauth, open });
    return readCaller(profile.baseUrl, accessToken, context);
  }
  if (reason !== undefined) output.say(`No browser is opened: ${reason}. --browser opens it all the same.`);
  await store.probe?.();
  const { url, attempt } = await startLogin({ ...oauth, redirectUri: pasteRedirectUri });
  const callback = await askForCallback(url, context);
  const { accessToken } = await finishLogin({ ...oauth, attempt, callback });
  return readCaller(profile.baseUrl, accessToken, context);
};

/** The workspace of the credential is the profile's default; the first profile is the active one. */
const settle = async ({ file, name, profile }: LoginTarget, { workspaceId }: Caller): Promise<void> => {
  await updateProfiles(file, (all) => {
    const credential = profileNamed(all, name);
    const active = profileNamed(all, all.active) ? all.active : name;
    const { login, token, inKeyring } = credential ?? {};
    const { projectId, workspaceId: before, ...rest } = profile;
    const next = {
      ...rest,
      ...(login && { login }),
      ...(token !== undefined && { token }),
      ...(inKeyring !== undefined && { inKeyring }),
      ...(workspaceId !== null && { workspaceId }),
      // A project of another workspace is no default any more.
      ...(projectId !== undefined && before === workspaceId && { projectId }),
    };
    return { ...all, ...(active !== undefined && { active }), profiles: { ...all.profiles, [name]: next } };
  });
};

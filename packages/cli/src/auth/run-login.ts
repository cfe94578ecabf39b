import { usageError } from "../errors.js";
import { ask, isAtTerminal } from "../run/ask.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { openBrowser, whyNoBrowser } from "./browser.js";
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
  const replacement = replaceCredential(target, context);
  if (flags.withToken) await takeToken(replacement, context);
  else await authorize(target, replacement, flags, context);
  await replacement.putAway();
  const { name, profile } = target;
  context.output.say(`Logged in to profile ${name}.`);
  await context.output.answer({ profile: name, baseUrl: profile.baseUrl, ...replacement.caller() });
};

const takeToken = async ({ store, keepToken }: Replacement, context: Context): Promise<void> => {
  await store.probe?.();
  await keepToken(await readToken(context));
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
): Promise<void> => {
  const { env, signal, output } = context;
  const oauth = { authUrl: profile.authUrl, clientId, transport: nodeTransport(), store, signal };
  const reason = browser === undefined ? whyNoBrowser(env) : undefined;
  if (browser ?? reason === undefined) {
    const open = (url: string): Promise<void> => openBrowser(url, context);
    await loginWithLoopback({ ...oauth, open });
    return;
  }
  if (reason !== undefined) output.say(`No browser is opened: ${reason}. --browser opens it all the same.`);
  await store.probe?.();
  const { url, attempt } = await startLogin({ ...oauth, redirectUri: pasteRedirectUri });
  const callback = await askForCallback(url, context);
  await finishLogin({ ...oauth, attempt, callback });
};

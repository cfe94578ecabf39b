import type { Context, GlobalFlags } from "../../input/context.js";
import { oauthClientId, finishLogin, loginWithLoopback, startLogin } from "../../sdk/oauth.js";
import { invalidUrlError, quotedTokenError, usageError } from "../../errors/usage-errors.js";
import { ask, isAtTerminal } from "../../input/ask.js";
import { confirm } from "../../input/confirm.js";
import { hasOuterQuote } from "../../text/outer-quote.js";
import { warnIfProfileIsOverridden } from "../../profiles/warn-overridden.js";
import { assertDevServiceIsGenuine } from "../../credentials/dev-service-proof.js";
import { InvalidArgumentError, nodeTransport } from "../../sdk/sdk.js";
import { openLoginPage } from "./open-login-page.js";
import { findNoBrowserReason } from "../../system/browser.js";
import type { TokenOwner } from "./token-owner.js";
import { type CredentialReplacement, createCredentialReplacement } from "./credential-replacement.js";
import { type LoginTarget, resolveLoginTarget } from "./login-target.js";
import { readPastedCallback, manualRedirectUri } from "./paste-callback.js";
import { findSignInKey } from "./sign-in-key.js";
import { observeRequests } from "../../transport/observe-requests.js";
import { createExplainedTransport } from "../../transport/explained-transport.js";

export interface LoginFlags extends GlobalFlags {
  readonly authUrl?: string;
  /** Whether to open a browser. Default: if one can be redirected back to this process. */
  readonly browser?: boolean;
  readonly withToken?: boolean;
  /** Where to store the credential. Default: where the profile stores it, else in the file. */
  readonly store?: "file" | "keyring";
}

/** What `mgmt login` prints. */
export interface LoginResult extends TokenOwner {
  readonly profile: string;
  /** URL of the service. */
  readonly baseUrl: string;
}

/** Logs in, stores the credential in the profile, and prints who it belongs to. */
export const runLogin = async (flags: LoginFlags, context: Context): Promise<void> => {
  if (flags.tokenFile !== undefined) {
    throw usageError("mgmt login does not read --token-file", "Use mgmt login --with-token < FILE.");
  }
  const target = await resolveLoginTarget(flags, context);
  await context.output.implicitSettings.announceForChange();
  await context.insecureUrls.assertAllowed(target.baseUrl);
  await context.insecureUrls.assertAllowed(target.authUrl);
  await assertDevServiceIsGenuine(target.name, target.profile, context);
  const replacement = createCredentialReplacement(target, context);
  if (flags.withToken) await loginWithToken(replacement, context);
  else await loginInBrowser(target, replacement, flags, context);
  await replacement.storeOtherAccount(async (action) => {
    if (!flags.yes) await confirm(action, context);
  });
  await replacement.discardPreviousCredential();
  const { name, baseUrl } = target;
  context.output.info(`Logged in to profile ${name}.`);
  await warnIfProfileIsOverridden(name, context);
  const tokenOwner = replacement.getTokenOwner() ?? { user: null, workspace: null, workspaceId: null };
  const result: LoginResult = { profile: name, baseUrl: baseUrl.value, ...tokenOwner };
  await context.output.writeResult(result);
};

const loginWithToken = async (
  { loginStore, replaceByToken }: CredentialReplacement,
  context: Context,
): Promise<void> => {
  await loginStore.probe?.();
  const token = await readToken(context);
  if (hasOuterQuote(token)) throw quotedTokenError("The token");
  await replaceByToken(token);
};

const readToken = async (context: Context): Promise<string> => {
  if (!isAtTerminal(context)) return context.sources.readSecret("-", "--with-token");
  const token = await ask(context, ({ password }, terminal) =>
    password({ message: "Token:", mask: "*" }, terminal),
  );
  if (token.trim() === "") throw usageError("--with-token: no token was entered");
  return token.trim();
};

const loginInBrowser = async (
  { file, authUrl }: LoginTarget,
  { loginStore }: CredentialReplacement,
  { browser }: LoginFlags,
  context: Context,
): Promise<void> => {
  const { env, signal, output, insecureUrls } = context;
  const transport = createExplainedTransport(observeRequests(nodeTransport(), context));
  const oauth = {
    authUrl: authUrl.value,
    allowInsecureHttp: insecureUrls.isAllowed,
    clientId: oauthClientId,
    transport,
    store: loginStore,
    signal,
  };
  const signInKey = await findSignInKey(file, authUrl.value, context);
  const noBrowserReason = browser === undefined ? findNoBrowserReason(env) : undefined;
  try {
    if (browser ?? noBrowserReason === undefined) {
      let browserOpening: ReturnType<typeof openLoginPage> | undefined;
      const open = async (url: string): Promise<void> => {
        browserOpening = openLoginPage({ url, signInKey }, context);
        await browserOpening;
      };
      try {
        await loginWithLoopback({ ...oauth, open });
      } finally {
        const removePage = await browserOpening;
        await removePage?.();
      }
      return;
    }
    if (noBrowserReason !== undefined)
      output.info(`Not opening a browser: ${noBrowserReason}. --browser opens one anyway.`);
    await loginStore.probe?.();
    const { url, attempt } = await startLogin({ ...oauth, redirectUri: manualRedirectUri });
    const callback = await readPastedCallback({ url, signInKey }, context);
    await finishLogin({ ...oauth, attempt, callback });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || error.argument !== "authUrl") {
      throw transport.explain() ?? error;
    }
    throw invalidUrlError(authUrl.from, error.problem);
  }
};

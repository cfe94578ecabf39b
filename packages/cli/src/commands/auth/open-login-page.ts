import { existsSync } from "node:fs";
import type { Context } from "../../input/context.js";
import { launchBrowser } from "../../system/browser.js";
import { addSignInKeyToUrl } from "./sign-in-key.js";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getHomeFolder } from "@mgmt/internal/files/user-folders";

/**
 * Opens the login URL in a browser, through a temporary page that only this user can read. Also prints the URL, because it is not possible
 * to know whether the browser opened.
 *
 * @returns a function that removes the page.
 */
export const openLoginPage = async (
  { url, signInKey }: LoginUrl,
  context: Pick<Context, "output" | "stderr" | "env">,
): Promise<() => Promise<void>> => {
  const printedUrl = formatLoginUrl({ url, signInKey }, context);
  const message = `Opening your browser. If it does not open, go to:\n\n  ${printedUrl}\n\nWaiting for the login…`;
  context.output.notice({ code: "login:address", message, url }, { multiline: true });
  // Under WSL, the browser runs on Windows and cannot open a Linux path.
  const isWsl = context.env["WSL_DISTRO_NAME"] !== undefined;
  const redirectPage = isWsl
    ? undefined
    : await writeRedirectPage(addSignInKeyToUrl(url, signInKey)).catch(() => undefined);
  // Without the page, don't start a browser: other users on this machine could read the URL in its arguments.
  const openedUrl = isWsl ? url : redirectPage?.url;
  if (openedUrl !== undefined) await launchBrowser(openedUrl);
  return async () => redirectPage?.remove();
};

/** The URL of a login, and the sign-in key if it is a `mgmt dev`. */
export interface LoginUrl {
  readonly url: string;
  readonly signInKey: string | undefined;
}

/** Returns the URL to print: with the sign-in key for a person at a terminal, and never for a log. */
export const formatLoginUrl = (
  { url, signInKey }: LoginUrl,
  { output, stderr }: Pick<Context, "output" | "stderr">,
): string => (stderr.isTTY && output.format === "table" ? addSignInKeyToUrl(url, signInKey) : url);

/** A page on this machine that redirects the browser to the URL of a login. */
interface RedirectPage {
  /** `file:` URL of the page. */
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Writes a page that only this user can read. Other users on this machine can read the arguments of the program that opens a browser, and
 * the URL contains the state of the login and the sign-in key.
 */
const writeRedirectPage = async (loginUrl: string): Promise<RedirectPage> => {
  const folder = await mkdtemp(join(chooseRedirectPageParent(), "mgmt-login-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, "login.html");
  try {
    await writeFile(path, renderRedirectPage(loginUrl), { flag: "wx", mode: 0o600 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: pathToFileURL(path).href, remove };
};

/** Browsers installed as snaps can read neither `/tmp` nor hidden folders. The folder `~/snap` exists for users of snaps. */
const chooseRedirectPageParent = (): string =>
  existsSync(join(getHomeFolder(), "snap")) ? getHomeFolder() : tmpdir();

const renderRedirectPage = (loginUrl: string): string => {
  const escapedUrl = loginUrl.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<title>mgmt login</title><meta http-equiv="refresh" content="0;url=${escapedUrl}"></head>` +
    `<body><p><a href="${escapedUrl}">Continue to log in</a></p></body></html>\n`
  );
};

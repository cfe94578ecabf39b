import { existsSync } from "node:fs";
import type { Context } from "../../input/context.js";
import { launchBrowser } from "../../system/browser.js";
import { withSignInKey } from "./sign-in-key.js";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { homeFolder } from "@mgmt/internal/files/user-folders";

/**
 * Opens the login address in a browser, by means of a page that only this user can read. Prints the address as well, because
 * there is no way to tell whether the browser really opened.
 *
 * @returns a function that removes the page.
 */
export const openBrowser = async (
  { url, signInKey }: LoginAddress,
  context: Pick<Context, "output" | "stderr" | "env">,
): Promise<() => Promise<void>> => {
  const address = printedAddress({ url, signInKey }, context);
  const message = `Opening your browser. If it does not open, go to:\n\n  ${address}\n\nWaiting for the login…`;
  context.output.notice({ code: "login:address", message, url }, { multiline: true });
  // The browser is a program of Windows there, which does not find the page.
  const isWsl = context.env["WSL_DISTRO_NAME"] !== undefined;
  const page = isWsl
    ? undefined
    : await writeRedirectPage(withSignInKey(url, signInKey)).catch(() => undefined);
  // Otherwise the user can open the printed address: as an argument of a program, every account of the machine could read it.
  const opened = isWsl ? url : page?.url;
  if (opened !== undefined) await launchBrowser(opened);
  return async () => page?.remove();
};

/** The address of a login, and the sign-in key if it is a `mgmt dev`. */
export interface LoginAddress {
  readonly url: string;
  readonly signInKey: string | undefined;
}

/** Returns the address to print: with the sign-in key for a person at a terminal, and never for a log. */
export const printedAddress = (
  { url, signInKey }: LoginAddress,
  { output, stderr }: Pick<Context, "output" | "stderr">,
): string => (stderr.isTTY && output.format === "table" ? withSignInKey(url, signInKey) : url);

/** A page on this machine that redirects the browser to the address of a login. */
interface RedirectPage {
  /** `file:` URL of the page. */
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Writes a page that only this user can read. Every account of the machine can read the arguments of the program that
 * opens a browser, and the address contains the state of the login and the sign-in key.
 */
const writeRedirectPage = async (address: string): Promise<RedirectPage> => {
  const folder = await mkdtemp(join(pageParent(), "mgmt-login-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, "login.html");
  try {
    await writeFile(file, printPage(address), { flag: "wx", mode: 0o600 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: pathToFileURL(file).href, remove };
};

/** Browsers that are snaps can read neither `/tmp` nor hidden folders. Users of snaps have the folder `~/snap`. */
const pageParent = (): string => (existsSync(join(homeFolder(), "snap")) ? homeFolder() : tmpdir());

const printPage = (address: string): string => {
  const escaped = address.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<title>mgmt login</title><meta http-equiv="refresh" content="0;url=${escaped}"></head>` +
    `<body><p><a href="${escaped}">Continue to log in</a></p></body></html>\n`
  );
};

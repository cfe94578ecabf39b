import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { homeFolder } from "@mgmt/internal/files/user-folders";

/** A page on this machine that redirects the browser to the address of a login. */
export interface RedirectPage {
  /** `file:` URL of the page. */
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Writes a page that only this user can read. Every account of the machine can read the arguments of the program that
 * opens a browser, and the address contains the state of the login and the sign-in key.
 */
export const writeRedirectPage = async (address: string): Promise<RedirectPage> => {
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

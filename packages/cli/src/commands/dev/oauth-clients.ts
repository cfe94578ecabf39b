import { invalidValue } from "../../errors/usage-errors.js";

/** A public OAuth client to register. */
export interface OAuthClient {
  id: string;
  redirectUris: string[];
}

const hint = "Write --oauth-client ID=REDIRECT_URI, with commas between several URIs.";

/**
 * Adds the client in a value of `--oauth-client`, `ID=REDIRECT_URI[,REDIRECT_URI…]`, to the clients of the flags before
 * it. A repeated id adds redirect URIs.
 *
 * @throws CliError for a value of another form.
 */
export const addOAuthClient = (value: string, before: readonly OAuthClient[] = []): OAuthClient[] => {
  const refused = (problem: string): Error =>
    invalidValue(`--oauth-client ${JSON.stringify(value)}`, problem, hint);
  const mark = value.indexOf("=");
  if (mark === -1) throw refused("has no =");
  const id = value.slice(0, mark).trim();
  if (id === "") throw refused("has no client id before the =");
  const redirectUris = value
    .slice(mark + 1)
    .split(",")
    .map((uri) => uri.trim());
  if (redirectUris.includes("")) throw refused("has an empty redirect URI");

  const known = before.find((client) => isSameId(client.id, id));
  if (!known) return [...before, { id, redirectUris }];
  const all = [...new Set([...known.redirectUris, ...redirectUris])];
  return before.map((client) => (client === known ? { id: known.id, redirectUris: all } : client));
};

/** Ids are the same with and without their prefix. */
const isSameId = (one: string, other: string): boolean => bare(one) === bare(other);

const bare = (id: string): string => id.replace(/^itgr_/, "");

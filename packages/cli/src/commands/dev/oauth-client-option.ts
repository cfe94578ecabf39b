import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { invalidValueError } from "../../errors/usage-errors.js";

/** A public OAuth client to register. */
export interface PublicClient {
  id: string;
  redirectUris: string[];
}

const oauthClientHint = "Write --oauth-client ID=REDIRECT_URI, with commas between several URIs.";

/**
 * Adds the client in a value of `--oauth-client`, `ID=REDIRECT_URI[,REDIRECT_URI…]`, to the clients of the flags before
 * it. A repeated id adds redirect URIs.
 *
 * @throws CliError for a value of another form.
 */
export const addOAuthClient = (
  value: string,
  earlierClients: readonly PublicClient[] = [],
): PublicClient[] => {
  const invalidClientError = (problem: string): Error =>
    invalidValueError(`--oauth-client ${JSON.stringify(value)}`, problem, oauthClientHint);
  const separatorIndex = value.indexOf("=");
  if (separatorIndex === -1) throw invalidClientError("has no =");
  const id = value.slice(0, separatorIndex).trim();
  if (id === "") throw invalidClientError("has no client id before the =");
  const redirectUris = value
    .slice(separatorIndex + 1)
    .split(",")
    .map((uri) => uri.trim());
  if (redirectUris.includes("")) throw invalidClientError("has an empty redirect URI");

  const earlierClient = earlierClients.find((client) => isSameId(client.id, id));
  if (!earlierClient) return [...earlierClients, { id, redirectUris }];
  const allRedirectUris = [...new Set([...earlierClient.redirectUris, ...redirectUris])];
  return earlierClients.map((client) =>
    client === earlierClient ? { id: earlierClient.id, redirectUris: allRedirectUris } : client,
  );
};

/** Ids are the same with and without their prefix. */
const isSameId = (left: string, right: string): boolean => removeIdPrefix(left) === removeIdPrefix(right);

const removeIdPrefix = (id: string): string =>
  id.startsWith(idPrefixes.client) ? id.slice(idPrefixes.client.length) : id;

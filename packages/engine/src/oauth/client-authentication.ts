import { decodeBase64 } from "../values/base64.js";
import { toCanonicalId } from "../values/ids.js";
import { isDigestOf } from "../values/digest.js";
import type { ClientRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { oauthErrors } from "./oauth-error.js";
import { type OAuthParameters, assertNotRepeated } from "./parameters.js";
import type { LogParameters } from "./responses.js";

/** A request to the token or revocation endpoint. */
export interface ClientRequest {
  readonly parameters: OAuthParameters;
  /** Value of the `Authorization` header. */
  readonly authorization: string | undefined;
  readonly log: LogParameters;
}

/** Finds a registered client by its id, with or without the prefix `itgr_`. */
export const findClient = (store: Pick<Store, "clients">, id: string): ClientRow | undefined =>
  store.clients.get(toCanonicalId("client", id));

/** Reports whether both ids refer to the same client. */
const isSameClient = (id: string, otherId: string): boolean =>
  toCanonicalId("client", id) === toCanonicalId("client", otherId);

/**
 * Authenticates the client that sends a request, and logs its id: a confidential client by `client_secret_basic` or
 * `client_secret_post`, a public client by its `client_id` alone. Throws `invalid_client` when authentication fails, and
 * `invalid_request` when the request uses both methods or repeats one of the `nonRepeatableParameters`. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.
 */
export const authenticateClient = (
  store: Pick<Store, "clients">,
  { parameters, authorization, log }: ClientRequest,
  nonRepeatableParameters: readonly string[],
): ClientRow => {
  assertNotRepeated(parameters, nonRepeatableParameters);
  const bodyCredentials = { id: parameters.get("client_id"), secret: parameters.get("client_secret") };
  const basicCredentials = authorization === undefined ? undefined : decodeBasicCredentials(authorization);
  if (basicCredentials && bodyCredentials.secret !== undefined) throw oauthErrors.twoAuthentications();
  if (
    basicCredentials &&
    bodyCredentials.id !== undefined &&
    !isSameClient(bodyCredentials.id, basicCredentials.id)
  )
    throw oauthErrors.clientIdMismatch();

  const { id, secret } = basicCredentials ?? bodyCredentials;
  if (id === undefined) throw oauthErrors.noClient();
  const client = findClient(store, id);
  if (!client) throw oauthErrors.unknownClient();
  if (client.secretHash === null) {
    if (secret !== undefined) throw oauthErrors.secretUnexpected();
  } else {
    if (secret === undefined || secret === "") throw oauthErrors.secretMissing();
    if (!isDigestOf(client.secretHash, secret)) throw oauthErrors.secretWrong();
  }
  log({ client_id: client.id });
  return client;
};

/**
 * Decodes HTTP Basic credentials, whose id and secret are each form-encoded. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1.
 */
const decodeBasicCredentials = (authorization: string): { id: string; secret: string } => {
  const [, encodedCredentials] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encodedCredentials === undefined) {
    throw /^basic( |$)/i.test(authorization) ? oauthErrors.malformedBasic() : oauthErrors.unsupportedScheme();
  }
  try {
    const bytes = decodeBase64(encodedCredentials);
    if (bytes === undefined) throw oauthErrors.malformedBasic();
    const credentials = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const colon = credentials.indexOf(":");
    if (colon < 1) throw oauthErrors.malformedBasic();
    const decode = (part: string): string => decodeURIComponent(part.replaceAll("+", " "));
    return { id: decode(credentials.slice(0, colon)), secret: decode(credentials.slice(colon + 1)) };
  } catch {
    throw oauthErrors.malformedBasic();
  }
};

import type { AccessTokens } from "./access-tokens.js";
import type { Clock } from "../time/clock.js";
import type { OAuthSettings } from "../request/settings.js";
import type { ClientRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { type Note, type OAuthAnswer, jsonAnswer } from "./answer.js";
import { refuseRepeated } from "./authorization-request.js";
import { authenticateClient } from "./client-authentication.js";
import type { Earned, Grants } from "./grants.js";
import { oauthErrors } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";
import { printScopes } from "./scopes.js";

const names = [
  "grant_type",
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "scope",
];

/** `POST /token`: a code or a refresh token for an access token (RFC 6749 §4.1.3, §6). */
export class TokenEndpoint {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly grants: Grants,
    private readonly tokens: Pick<AccessTokens, "sign">,
    private readonly settings: Pick<OAuthSettings, "accessToken">,
  ) {}

  /** Throws an `OAuthError`. */
  answer(parameters: Parameters, authorization: string | undefined, note: Note): Promise<OAuthAnswer> {
    refuseRepeated(parameters, names);
    const client = authenticateClient(this.store, authorization, parameters);
    note({ client_id: client.id });
    return this.#sign(this.#earn(client, parameters, note));
  }

  #earn(client: ClientRow, parameters: Parameters, note: Note): Earned {
    const grantType = required(parameters, "grant_type");
    if (grantType === "authorization_code") {
      note({ grant_type: grantType });
      const code = required(parameters, "code");
      const redirectUri = parameters.get("redirect_uri");
      const verifier = parameters.get("code_verifier");
      return this.grants.redeem(client, { code, redirectUri, verifier });
    }
    if (grantType === "refresh_token") {
      note({ grant_type: grantType });
      const token = required(parameters, "refresh_token");
      return this.grants.refresh(client, { token, scope: parameters.get("scope") });
    }
    throw oauthErrors.grantType();
  }

  async #sign({ grant, scopes, refreshToken }: Earned): Promise<OAuthAnswer> {
    const { id, userId, workspaceId, clientId, integrationId } = grant;
    const { accessToken: lifetime } = this.settings;
    const email = this.store.users.get(userId)?.email ?? "";
    const accessToken = await this.tokens.sign({
      subject: userId,
      expiresAt: this.clock.now() + lifetime,
      scopes,
      clientId,
      integrationId,
      grantId: id,
      claims: { email, workspace_id: workspaceId },
    });
    return jsonAnswer({
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: Math.floor(lifetime / 1000),
      scope: printScopes(scopes),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
    });
  }
}

const required = (parameters: Parameters, name: string): string => {
  const value = parameters.get(name);
  if (value === undefined) throw oauthErrors.missing(name);
  return value;
};

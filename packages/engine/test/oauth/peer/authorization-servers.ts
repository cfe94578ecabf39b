import { generateKeyPairSync } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "@mgmt/mock/server";
import { Provider } from "oidc-provider";
import { web } from "../oauth-api.js";

/** Two clients that both servers know. */
export const openClient = { id: "itgr_open", redirectUri: "http://127.0.0.1:51234/callback" };
export const closedClient = { id: "itgr_closed", redirectUri: "https://app.example/cb", secret: web.secret };

/** An authorization server over HTTP. */
export interface ServerUnderTest {
  readonly issuer: string;
  /** Paths are the same on both. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the redirect after a user allows or denies this authorization request. */
  decide(query: string, decision: "allow" | "deny"): Promise<URL>;
  /** Advances the time beyond the grace period for replayed refresh tokens. */
  passGrace(): Promise<void>;
  close(): Promise<void>;
}

const sender =
  (origin: string) =>
  (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(origin + path, { redirect: "manual", ...init });

export const startOurs = async (): Promise<ServerUnderTest> => {
  const server = await createServer({ engineOptions: { deterministic: "differential" } });
  const { oauth, clock } = server.engine;
  await oauth.registerClient({ id: openClient.id, redirectUris: ["http://127.0.0.1/callback"] });
  await oauth.registerClient({
    id: closedClient.id,
    redirectUris: [closedClient.redirectUri],
    secret: closedClient.secret,
  });
  return {
    issuer: server.baseUrl,
    send: sender(server.baseUrl),
    decide: async (query, decision) => {
      const url = `${server.baseUrl}/authorize?${query}`;
      const { redirect } = decision === "allow" ? await oauth.consent({ url }) : oauth.deny({ url });
      return new URL(redirect);
    },
    passGrace: () => clock.advance(10_001),
    close: () => server.close(),
  };
};

/** Completes the interaction with the decision of the only user. */
const answerInteraction = async (
  provider: Provider,
  decision: "allow" | "deny",
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { params } = await provider.interactionDetails(request, response);
  if (decision === "deny") {
    await provider.interactionFinished(request, response, { error: "access_denied" });
    return;
  }
  const grant = new provider.Grant({ accountId: "ada", clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? "");
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, {
    login: { accountId: "ada" },
    consent: { grantId },
  });
};

export const startPeer = async (): Promise<ServerUnderTest> => {
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = () => Promise.resolve();
  const server = createHttpServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${String(port)}`;
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: openClient.id,
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: ["http://127.0.0.1/callback"],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
      },
      {
        client_id: closedClient.id,
        client_secret: closedClient.secret,
        redirect_uris: [closedClient.redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["differential"] },
    scopes: ["workspace:admin", "offline_access"],
    responseTypes: ["code"],
    routes: { authorization: "/authorize", token: "/token", revocation: "/revoke" },
    features: {
      devInteractions: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
    },
    // Seconds. Together with the other values, they replace every default that the peer warns about.
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, RefreshToken: 60 },
    renderError: (context: { body: string }, { error }: { error: string }) => {
      context.body = error;
    },
    interactions: { url: () => "/interaction" },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    pkce: {
      required: (_context: unknown, client: { clientAuthMethod: string }) =>
        client.clientAuthMethod === "none",
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
  });
  let decision: "allow" | "deny" = "allow";
  const answer = provider.callback();
  handle = (request, response) =>
    request.url === "/interaction"
      ? answerInteraction(provider, decision, request, response)
      : answer(request, response);

  const send = sender(issuer);
  return {
    issuer,
    send,
    decide: async (query, wanted) => {
      decision = wanted;
      const cookies = new Map<string, string>();
      let path = `/authorize?${query}`;
      for (let step = 0; step < 8; step += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await send(path, { headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const location = new URL(response.headers.get("location") ?? "", issuer);
        if (location.origin !== issuer) return location;
        path = location.pathname + location.search;
      }
      throw new Error("The peer never came to an end");
    },
    passGrace: () => Promise.resolve(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

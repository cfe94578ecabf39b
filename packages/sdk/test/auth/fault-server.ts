import type { ServerResponse } from "node:http";
import type { Credential } from "@mgmt/sdk/auth";
import { type Seen, type TestServer, json, startServer } from "../server.js";

/** A response of the server. */
export type Reply = (response: ServerResponse, request: Seen, count: number) => void;

/** Faulty responses of an authorization server. */
export interface Replies {
  metadata?: Reply;
  token?: Reply;
  revoke?: Reply;
}

export interface FaultServer extends TestServer {
  /** Forms that the token endpoint received. */
  tokenRequests: URLSearchParams[];
}

/** Returns the metadata of an authorization server at this URL. */
export const metadataOf = (issuer: string): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  authorization_response_iss_parameter_supported: true,
});

/** Returns a valid response of a token endpoint. */
export const tokens = (count: number, more: object = {}): Record<string, unknown> => ({
  access_token: `access-${count}`,
  token_type: "Bearer",
  expires_in: 3600,
  refresh_token: `refresh-${count}`,
  ...more,
});

/** Starts a small real authorization server that responds as configured. It closes when the test ends. */
export const startFaultServer = async (replies: Replies = {}): Promise<FaultServer> => {
  const tokenRequests: URLSearchParams[] = [];
  const server: TestServer = await startServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x.test");
    if (pathname.startsWith("/.well-known/")) {
      const reply: Reply = replies.metadata ?? (() => json(response, 200, metadataOf(server.baseUrl)));
      reply(response, request, 1);
    } else if (pathname === "/token") {
      const count = tokenRequests.push(new URLSearchParams(request.body));
      const reply: Reply = replies.token ?? (() => json(response, 200, tokens(count)));
      reply(response, request, count);
    } else if (pathname === "/revoke") {
      const reply: Reply = replies.revoke ?? (() => response.writeHead(200).end());
      reply(response, request, 1);
    } else {
      response.writeHead(404).end();
    }
  });
  return { ...server, tokenRequests };
};

/** Returns a login of the client `app` that expires in this many seconds. */
export const credentialFor = (
  { baseUrl }: { baseUrl: string },
  secondsLeft: number,
  more: Partial<Credential> = {},
): Credential => ({
  accessToken: "access-0",
  refreshToken: "refresh-0",
  issuedAt: Date.now() + (secondsLeft - 3600) * 1000,
  expiresAt: Date.now() + secondsLeft * 1000,
  scopes: ["workspace:admin"],
  issuer: baseUrl,
  clientId: "app",
  ...more,
});

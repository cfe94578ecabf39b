import { type Credential, createAuthenticator, memoryStore } from "@mgmt/sdk/auth";
import { json } from "../server.js";
import {
  type FaultServer,
  type Replies,
  type Reply,
  credentialFor,
  startFaultServer,
} from "./fault-server.js";

export interface Setup {
  secondsLeft?: number;
  credential?: Partial<Credential>;
  replies?: Replies;
  timeoutMs?: number;
}

/** A stored login, its server and its authenticator. */
export const setup = async ({ secondsLeft = -1, credential, replies, timeoutMs }: Setup = {}) => {
  const server = await startFaultServer(replies);
  const store = memoryStore(credentialFor(server, secondsLeft, credential));
  const reported: unknown[] = [];
  const options = {
    ...{ authUrl: server.baseUrl, clientId: "app", store, timeoutMs },
    onBackgroundError: (error: unknown) => void reported.push(error),
  };
  return { server, store, reported, options, ...createAuthenticator(options) };
};

export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

export const html: Reply = (response) =>
  response.writeHead(500, { "content-type": "text/html" }).end("<html>");
export const invalidGrant: Reply = (response) => json(response, 400, { error: "invalid_grant" });
export const refreshTokens = ({ tokenRequests }: FaultServer) =>
  tokenRequests.map((request) => request.get("refresh_token"));

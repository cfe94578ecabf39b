import { type Credential, createAuthenticator, memoryStore } from "@mgmt/sdk/auth";
import { replies, repliesJson } from "./failures.js";
import { json } from "../server.js";
import {
  type FaultServer,
  type Replies,
  type Reply,
  credentialFor,
  startFaultServer,
  tokens,
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

/** Returns a reply with tokens that waits until `answer` is called, and the promise that the request for them has arrived. */
export const holdTokens = () => {
  let answer = (): void => undefined;
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const token: Reply = (response, _, count) => {
    answer = () => json(response, 200, tokens(count));
    arrive();
  };
  return { token, arrived, answer: () => answer() };
};

export const html = replies(500, "text/html", "<html>");
export const invalidGrant = repliesJson(400, { error: "invalid_grant" });
export const refreshTokens = ({ tokenRequests }: FaultServer) =>
  tokenRequests.map((request) => request.get("refresh_token"));

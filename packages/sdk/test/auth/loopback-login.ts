import { request } from "node:http";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { setupMock } from "@mgmt/mock";
import { type Credential, type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import { type LoopbackLoginOptions, loginWithLoopback } from "@mgmt/sdk/auth/node";
import { thrown } from "../server.js";

export const mock = setupMock({ deterministic: "loopback" });
export const oauth = { authUrl: mock.authUrl, clientId: "itgr_mgmtcommandlineinterface" };

/** Call at the top of a test file. Starts the server for the tests of the file. */
export const setupLoopback = (): void => {
  beforeAll(() => mock.listen({ onUnhandledRequest: "bypass" }));
  afterEach(() => mock.reset());
  afterAll(() => mock.close());
};

export interface Browsing {
  /** URL that the browser was asked to open. */
  url: string;
  /** Redirect URI of the login. */
  redirectUri: string;
  state: string;
  /** Allows the login as the user. Returns the redirect. */
  allow: () => Promise<string>;
  login: Promise<Credential>;
}

/** Starts a login, and returns when the browser has been asked to open the page. */
export const begin = async (options: Partial<LoopbackLoginOptions> = {}): Promise<Browsing> => {
  let login: Promise<Credential> = Promise.reject(new Error("The login has not started."));
  login.catch(() => undefined);
  const url = await new Promise<string>((resolve, reject) => {
    login = loginWithLoopback({ ...oauth, open: resolve, ...options });
    login.catch(reject);
  });
  const { searchParams } = new URL(url);
  return {
    ...{ url, login },
    redirectUri: searchParams.get("redirect_uri") ?? "",
    state: searchParams.get("state") ?? "",
    allow: async () => (await mock.oauth.consent({ url })).redirect,
  };
};

/** Returns a store that reports an accepted callback: it is probed before the browser opens, and again then. */
export const watchedStore = (): { store: TokenStore; taken: Promise<void> } => {
  let probes = 0;
  let tell: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => (tell = resolve));
  const probe = async (): Promise<void> => {
    if ((probes += 1) === 2) tell();
  };
  return { store: { ...memoryStore(), probe }, taken };
};

/** Sends a request with arbitrary path, method and headers. */
export const ask = (
  url: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      let text = "";
      incoming.on("data", (chunk: Buffer) => (text += String(chunk)));
      incoming.on("end", () => resolve({ status: incoming.statusCode, text }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });

/** Expects that nothing listens at the redirect URI. */
export const expectClosed = async (redirectUri: string): Promise<void> => {
  expect(await thrown(ask(redirectUri))).toMatchObject({ code: "ECONNREFUSED" });
};

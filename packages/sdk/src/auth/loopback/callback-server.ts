import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { authErrors } from "../errors.js";
import { pageHeaders, renderPage } from "./result-page.js";
import { type ResultPage, createErrorPage, resultPages } from "./result-page-texts.js";

const callbackPath = "/callback";
/**
 * Grace period on close, in milliseconds: for a page to learn how the login ended, and for a browser to close its
 * connections.
 */
const closeDelayMs = 300;

/** Listens on 127.0.0.1 for the callback of a login. */
export interface CallbackServer {
  redirectUri: string;
  /**
   * Accepts the first callback with this state and shows the result of `finish`. Later callbacks with this state see
   * the same page. Callbacks with a different or missing state are rejected and have no effect.
   */
  expect(state: string, finish: (callback: string) => Promise<unknown>): void;
  /** Resolves when all pages are sent and the port is free. */
  close(): Promise<void>;
}

/** Starts a callback server on a free port. Throws `AuthError` `auth:listen_failed`. */
export const startCallbackServer = async (): Promise<CallbackServer> => {
  let expectedLogin: { state: string; finish: (callback: string) => Promise<unknown> } | undefined;
  let outcomePage: Promise<ResultPage> | undefined;
  const runningResponses = new Set<Promise<void>>();
  let showStoppedPage = (): void => undefined;
  const stoppedPage = new Promise<ResultPage>(
    (resolve) => (showStoppedPage = () => resolve(resultPages.stopped)),
  );
  const server = createServer((request, response) => {
    const pendingResponse = handleRequest(request, response).finally(() =>
      runningResponses.delete(pendingResponse),
    );
    runningResponses.add(pendingResponse);
  });
  const origin = await listenOnLoopback(server);
  const { host } = new URL(origin);

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", method } = request;
    // Prevents DNS rebinding: another site may have pointed its host name at this address.
    if (request.headers.host !== host || !url.startsWith("/"))
      return sendPage(response, 403, resultPages.unrelated);
    const requestUrl = new URL(origin + url);
    if (requestUrl.pathname !== callbackPath) return sendPage(response, 404, resultPages.unrelated);
    if (method !== "GET") return sendPage(response, 405, resultPages.unrelated);
    const states = requestUrl.searchParams.getAll("state");
    if (!expectedLogin || states.length !== 1 || states[0] !== expectedLogin.state) {
      return sendPage(response, 400, resultPages.unrelated);
    }
    outcomePage ??= expectedLogin.finish(requestUrl.href).then(() => resultPages.done, createErrorPage);
    return sendPage(response, 200, await Promise.race([outcomePage, stoppedPage]));
  };

  return {
    redirectUri: origin + callbackPath,
    expect: (state, finish) => {
      expectedLogin = { state, finish };
    },
    async close() {
      const serverClosed = new Promise((resolve) => server.close(resolve));
      // A store may take longer than the login that was aborted.
      const stopTimer = setTimeout(showStoppedPage, closeDelayMs);
      await Promise.allSettled(runningResponses);
      clearTimeout(stopTimer);
      server.closeIdleConnections();
      // Browsers open spare connections that they never use.
      const disconnectTimer = setTimeout(() => server.closeAllConnections(), closeDelayMs);
      await serverClosed;
      clearTimeout(disconnectTimer);
    },
  };
};

const listenOnLoopback = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(authErrors.listenFailed(readErrorCode(error) ?? "unknown reason")),
    );
    server.listen(0, "127.0.0.1", () => {
      // The address of a server that listens on a host is always of this type.
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });

const sendPage = (response: ServerResponse, status: number, page: ResultPage): Promise<void> =>
  new Promise((resolve) => {
    // A browser that has disconnected emits no more events.
    if (response.destroyed) return resolve();
    response.on("close", resolve);
    response.writeHead(status, pageHeaders).end(renderPage(page), resolve);
  });

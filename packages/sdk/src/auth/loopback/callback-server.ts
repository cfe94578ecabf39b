import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { authErrors } from "../errors.js";
import { pageHeaders, printPage } from "./closing-page.js";
import { type ClosingPage, failurePage, pages } from "./closing-texts.js";

const path = "/callback";
/**
 * Grace period on close, in milliseconds: for a page to learn how the login ended, and for a browser to close its
 * connections.
 */
const linger = 300;

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
  let expected: { state: string; finish: (callback: string) => Promise<unknown> } | undefined;
  let page: Promise<ClosingPage> | undefined;
  const responding = new Set<Promise<void>>();
  let stop = (): void => undefined;
  const stopped = new Promise<ClosingPage>((resolve) => (stop = () => resolve(pages.stopped)));
  const server = createServer((request, response) => {
    const responded = respond(request, response).finally(() => responding.delete(responded));
    responding.add(responded);
  });
  const origin = await listen(server);
  const { host } = new URL(origin);

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", method } = request;
    // Prevents DNS rebinding: another site may have pointed its host name at this address.
    if (request.headers.host !== host || !url.startsWith("/")) return send(response, 403, pages.unrelated);
    const address = new URL(origin + url);
    if (address.pathname !== path) return send(response, 404, pages.unrelated);
    if (method !== "GET") return send(response, 405, pages.unrelated);
    const states = address.searchParams.getAll("state");
    if (!expected || states.length !== 1 || states[0] !== expected.state) {
      return send(response, 400, pages.unrelated);
    }
    page ??= expected.finish(address.href).then(() => pages.done, failurePage);
    return send(response, 200, await Promise.race([page, stopped]));
  };

  return {
    redirectUri: origin + path,
    expect: (state, finish) => {
      expected = { state, finish };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // A store may take longer than the login that was aborted.
      const late = setTimeout(stop, linger);
      await Promise.allSettled(responding);
      clearTimeout(late);
      server.closeIdleConnections();
      // Browsers open spare connections that they never use.
      const cut = setTimeout(() => server.closeAllConnections(), linger);
      await closed;
      clearTimeout(cut);
    },
  };
};

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) => reject(authErrors.listen(errorCode(error) ?? "unknown reason")));
    server.listen(0, "127.0.0.1", () => {
      // The address of a server that listens on a host is always of this type.
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });

const send = (response: ServerResponse, status: number, page: ClosingPage): Promise<void> =>
  new Promise((resolve) => {
    // A browser that has disconnected emits no more events.
    if (response.destroyed) return resolve();
    response.on("close", resolve);
    response.writeHead(status, pageHeaders).end(printPage(page), resolve);
  });

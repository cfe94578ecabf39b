import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { authErrors } from "../errors.js";
import { systemCode } from "../files/file-errors.js";
import { pageHeaders, printPage } from "./closing-page.js";
import { type ClosingPage, failurePage, pages } from "./closing-words.js";

const path = "/callback";
/** How long a page may take to know how the login ended, and a browser to let go of its connections, in milliseconds. */
const linger = 300;

/** Waits on 127.0.0.1 for the browser to come back. */
export interface CallbackServer {
  redirectUri: string;
  /**
   * Takes the first callback with this state, and shows how `finish` ends with it. Later ones see the same page; callbacks
   * with another state or none are turned away, and change nothing.
   */
  expect(state: string, finish: (callback: string) => Promise<unknown>): void;
  /** Resolves when the pages are sent and the port is free. */
  close(): Promise<void>;
}

/** Listens on a free port. Throws `AuthError` `auth:listen_failed`. */
export const startCallbackServer = async (): Promise<CallbackServer> => {
  let expected: { state: string; finish: (callback: string) => Promise<unknown> } | undefined;
  let page: Promise<ClosingPage> | undefined;
  const answering = new Set<Promise<void>>();
  let stop = (): void => undefined;
  const stopped = new Promise<ClosingPage>((resolve) => (stop = () => resolve(pages.stopped)));
  const server = createServer((request, response) => {
    const answered = answer(request, response).finally(() => answering.delete(answered));
    answering.add(answered);
  });
  const origin = await listen(server);
  const { host } = new URL(origin);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = "", method } = request;
    // Another host name is a page that has had its name point here.
    if (request.headers.host !== host || !url.startsWith("/")) return send(response, 403, pages.stranger);
    const address = new URL(origin + url);
    if (address.pathname !== path) return send(response, 404, pages.stranger);
    if (method !== "GET") return send(response, 405, pages.stranger);
    const states = address.searchParams.getAll("state");
    if (!expected || states.length !== 1 || states[0] !== expected.state) {
      return send(response, 400, pages.stranger);
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
      // A store may go on for longer than the login that was stopped.
      const late = setTimeout(stop, linger);
      await Promise.allSettled(answering);
      clearTimeout(late);
      server.closeIdleConnections();
      // Browsers keep connections in reserve that they never use.
      const cut = setTimeout(() => server.closeAllConnections(), linger);
      await closed;
      clearTimeout(cut);
    },
  };
};

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) => reject(authErrors.listen(systemCode(error) ?? "unknown reason")));
    server.listen(0, "127.0.0.1", () => {
      // A server that listens on a host has an address of this form.
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });

const send = (response: ServerResponse, status: number, page: ClosingPage): Promise<void> =>
  new Promise((resolve) => {
    // A browser that has gone takes no page, and nothing tells of it any more.
    if (response.destroyed) return resolve();
    response.on("close", resolve);
    response.writeHead(status, pageHeaders).end(printPage(page), resolve);
  });

import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer as createHttpServer,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type EngineOptions, ReferenceEngine } from "../composition/reference-engine.js";
import { errors } from "../request/errors.js";
import type { EngineResponse } from "../request/message.js";
import { ConnectionLimits, type Listener } from "./connection-limits.js";
import { handleControlRequest, isControlPath } from "./control-endpoint.js";
import { isOwnHost } from "./host-guard.js";
import { assertKnownOptions } from "../request/known-options.js";
import { halfOf, readBytes } from "./http-body.js";
import { maxHeadBytes, newRequestId, printRefusal } from "./http-refusal.js";
import { isLoopbackHost } from "./loopback.js";
import { refuseMalformedRequests } from "./malformed-request.js";
import type { ServedEngine } from "../control/served-engine.js";

export interface ServerOptions<E extends ServedEngine = ReferenceEngine> {
  /**
   * Creates the engine once the address of the server is known. Default: an in-memory engine with
   * `engineOptions`.
   */
  createEngine?: (address: ServerAddress) => E | Promise<E>;
  /** Options of the default engine. Ignored when `createEngine` is set. */
  engineOptions?: EngineOptions;
  /** Default: 0, which picks a free port. */
  port?: number;
  /** Default: `127.0.0.1`. */
  host?: string;
  /**
   * Additional hosts that a `Host` header may name, as `name:port`. Only servers on loopback check the
   * header.
   */
  allowedHosts?: readonly string[];
  /**
   * Enables the control surface under `/_control`. Clients send the secret in the header
   * `x-mgmt-control-secret`.
   */
  controlSecret?: string;
}

const serverOptions: Record<keyof ServerOptions, true> = {
  createEngine: true,
  engineOptions: true,
  port: true,
  host: true,
  allowedHosts: true,
  controlSecret: true,
};

export interface ServerAddress {
  /** For example `http://127.0.0.1:4300`. */
  baseUrl: string;
  host: string;
  port: number;
}

export interface RunningServer<E extends ServedEngine = ReferenceEngine> extends ServerAddress {
  readonly engine: E;
  readonly server: Server;
  /**
   * Stops accepting connections, finishes the requests in progress and stops the engine. Connections that are
   * still open after `grace` milliseconds (default: 5000) are closed.
   */
  close(grace?: number): Promise<void>;
}

/**
 * Starts the reference server on `node:http`. Rejects with the system's error when the port is in use, or
 * with the error that `createEngine` throws; in both cases nothing is left listening. Rejects with a `TypeError` for an option
 * that does not exist.
 */
export const createServer = async <E extends ServedEngine = ReferenceEngine>(
  options: ServerOptions<E> = {},
): Promise<RunningServer<E>> => {
  assertKnownOptions(options, Object.keys(serverOptions));
  const { host = "127.0.0.1", port = 0 } = options;
  const server = createHttpServer({
    keepAliveTimeout: 65_000,
    maxHeaderSize: maxHeadBytes,
    // Node would send a response without a body.
    requireHostHeader: false,
  });
  refuseMalformedRequests(server, linger);
  const limits = new ConnectionLimits({ pipelined: maxPipelined, sendTimeout });
  server.on("checkExpectation", limits.apply(refuseExpectation));
  const begin = holdRequests(server, limits);
  await listen(server, port, host);
  const address = addressOf(server, host);
  const closing = new AbortController();
  try {
    const engine = await (options.createEngine?.(address) ??
      engineInMemory<E>(options.engineOptions, address));
    begin(requestListener(engine, { ...options, host, port: address.port, closing: closing.signal }));
    const end = async (grace = 5_000): Promise<void> => {
      closing.abort();
      await closeServer(server, grace);
      await engine.stop();
    };
    return { ...address, engine, server, close: end };
  } catch (error) {
    await closeServer(server, 0);
    throw error;
  }
};

/** Requests of one connection that are handled at a time. */
const maxPipelined = 16;

/** Milliseconds after which a connection is destroyed whose client does not read. Node.js notices it up to twice as late. */
const sendTimeout = 60_000;

const engineInMemory = <E>(options: EngineOptions = {}, { baseUrl }: ServerAddress): E =>
  // Without `createEngine`, `E` is its default.
  new ReferenceEngine({ ...options, settings: { baseUrl, ...options.settings } }) as E;

/**
 * Queues requests until the engine exists. Returns a function that sets the listener and passes it the queued
 * requests.
 */
const holdRequests = (server: Server, limits: ConnectionLimits): ((listener: Listener) => void) => {
  const waiting: Parameters<Listener>[] = [];
  let handle: Listener = (request, response) => void waiting.push([request, response]);
  // The limits may pass a request on after the listener was set.
  server.on(
    "request",
    limits.apply((request, response) => handle(request, response)),
  );
  return (listener) => {
    handle = listener;
    for (const [request, response] of waiting) listener(request, response);
  };
};

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });

const addressOf = (server: Server, host: string): ServerAddress => {
  // The address is an `AddressInfo` because the server listens on a host, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { baseUrl: `http://${name}:${String(port)}`, host, port };
};

/** Milliseconds between checks for idle connections while the server closes. */
const idleCheck = 10;

const closeServer = async (server: Server, grace: number): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve));
  const idle = setInterval(() => server.closeIdleConnections(), idleCheck);
  const cut = setTimeout(() => server.closeAllConnections(), grace);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
};

/** Returns a listener for `node:http` requests, for use in a server that also has other pages. */
export const requestListener = (
  engine: ServedEngine,
  options: Pick<ServerOptions, "allowedHosts" | "controlSecret"> & {
    host: string;
    port: number;
    /** Ends the event streams of the control surface. */
    closing: AbortSignal;
  },
): Listener => {
  const { host, port, allowedHosts = [], controlSecret, closing } = options;
  const allowed = [
    ...allowedHosts,
    new URL(engine.settings.baseUrl).host,
    new URL(engine.settings.authUrl).host,
  ];
  const offLoopback = !isLoopbackHost(host);
  return (request, response) => {
    if (request.headers.host === undefined) {
      send(request, response, printRefusal(errors.missingHost()));
    } else if (!isOwnHost(request, { host, port, allowed })) {
      const hint = "Use the server's own address";
      send(
        request,
        response,
        printRefusal(errors.forbidden("The Host header does not name this server", hint)),
      );
    } else if (isControlPath(request.url ?? "")) {
      response.setHeader("x-request-id", newRequestId());
      const { baseUrl } = engine.settings;
      const options = { secret: controlSecret, baseUrl, closing };
      void handleControlRequest(engine, options, request, response);
    } else {
      handleRequest(engine, offLoopback, request, response);
    }
  };
};

/** Responds to an `Expect` header other than `100-continue`. See https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1. */
const refuseExpectation: Listener = (request, response) => {
  send(request, response, printRefusal(errors.expectationFailed()));
};

const handleRequest = (
  engine: ServedEngine,
  offLoopback: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const { method = "GET", headers } = request;
  const path = pathOf(request.url ?? "/");
  const reply = (body?: Uint8Array, bodyTooLarge = false): void => {
    const result = engine.handle({ method, path, headers, body, bodyTooLarge, offLoopback });
    if (result instanceof Promise) void result.then((each) => send(request, response, each));
    else send(request, response, result);
  };
  const { limit, discarded } = engine.bodyPolicy(method, path);
  if (limit === 0) {
    reply();
    return;
  }
  readBytes(request, limit, !discarded).then(
    (bytes) => (bytes === "too-large" ? reply(undefined, true) : reply(bytes)),
    () => response.destroy(),
  );
};

/**
 * Removes the origin from a request target in absolute form, which proxies send. See
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2.
 */
const pathOf = (target: string): string => {
  if (target.startsWith("/") || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

const send = (request: IncomingMessage, response: ServerResponse, result: EngineResponse): void => {
  if (result.dropped === "unsent") {
    request.socket.destroy();
    return;
  }
  const { status, headers, body } = result;
  if (status !== 204) headers["content-length"] = String(body === undefined ? 0 : Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (result.dropped) {
    response.write(halfOf(body ?? ""), () => request.socket.destroy());
    return;
  }
  response.end(body);
  if (hasBody(request) && !request.complete) cutLater(request);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Milliseconds for which a client may keep sending a body that is not read. Closing the connection earlier
 * could prevent the client from reading the response.
 */
const linger = 2_000;

const cutLater = (request: IncomingMessage): void => {
  const cut = setTimeout(() => request.destroy(), linger);
  cut.unref();
  request.on("close", () => clearTimeout(cut));
  request.resume();
};

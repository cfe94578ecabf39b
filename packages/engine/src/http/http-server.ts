import { setMaxListeners } from "node:events";
import {
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
  createServer as createHttpServer,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { EngineOptions } from "../server/engine-options.js";
import { MemoryServer } from "../server/memory-server.js";
import { errors } from "../values/errors.js";
import { handleApiRequest, lingerMs, sendEngineResponse } from "./api-request.js";
import { Connections, type Listener } from "./connections.js";
import { handleControlRequest, isControlPath } from "./control/control-endpoint.js";
import { createHostGuard } from "./host-guard.js";
import { assertKnownOptions } from "../values/known-options.js";
import { maxHeadBytes, createRequestId, createErrorResponse } from "./http-rejection.js";
import { isLoopbackHost } from "./loopback.js";
import { handleMalformedRequests } from "./malformed-request.js";
import type { Server as EngineServer } from "../server/server.js";

/** How the HTTP server listens, and the engine that handles its requests. */
export interface ServerOptions<E extends EngineServer = MemoryServer> {
  /**
   * Creates the engine once the address of the server is known. Default: an in-memory engine with
   * `engineOptions`.
   */
  createEngine?: ((address: ServerAddress) => E | Promise<E>) | undefined;
  /** Options of the default engine. Ignored when `createEngine` is set. */
  engineOptions?: EngineOptions | undefined;
  /** Default: 0, which picks a free port. */
  port?: number | undefined;
  /** Default: `127.0.0.1`. */
  host?: string | undefined;
  /**
   * Additional hosts that a `Host` header may name, as `name:port`. Only servers on loopback check the
   * header.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Enables the control surface under `/_control`. Clients send the secret in the header
   * `x-mgmt-control-secret`.
   */
  controlSecret?: string | undefined;
}

const serverOptionNames: Record<keyof ServerOptions, true> = {
  createEngine: true,
  engineOptions: true,
  port: true,
  host: true,
  allowedHosts: true,
  controlSecret: true,
};

/** Customizations of the server. */
export interface ServerCustomization {
  /** Serves HTTPS with this certificate and its private key, both PEM. Default: HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Handles each request first. `handle` passes it on to the API. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, handle: () => void) => void;
  /** Whether the paths of the control surface exist. Default: true. */
  readonly hasControlPaths?: boolean;
}

/** Where the HTTP server listens. */
export interface ServerAddress {
  /** For example `http://127.0.0.1:4300`. */
  baseUrl: string;
  host: string;
  port: number;
}

/** An HTTP server that listens, and its engine. */
export interface RunningServer<E extends EngineServer = MemoryServer> extends ServerAddress {
  readonly engine: E;
  readonly server: HttpServer;
  /** Handles further requests with another engine. The caller stops the previous engine. */
  replaceEngine(engine: E): void;
  /**
   * Stops accepting connections, finishes the requests in progress and stops the engine. Connections that are
   * still open after `graceMs` milliseconds (default: 5000) are closed.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts the reference server on `node:http`. Rejects with the system's error when the port is in use, or
 * with the error that `createEngine` throws; in both cases nothing is left listening. Rejects with a `TypeError` for an option
 * that does not exist.
 */
export const createServer = async <E extends EngineServer = MemoryServer>(
  options: ServerOptions<E> = {},
  { tls, intercept, hasControlPaths = true }: ServerCustomization = {},
): Promise<RunningServer<E>> => {
  assertKnownOptions(options, Object.keys(serverOptionNames));
  const { host = "127.0.0.1", port = 0 } = options;
  const server = tls ? createHttpsServer({ ...httpOptions, ...tls }) : createHttpServer(httpOptions);
  const connections = new Connections(server, {
    maxPipelined: maxPipelinedRequests,
    sendTimeoutMs,
  });
  handleMalformedRequests(server, connections, lingerMs);
  server.on("checkExpectation", connections.withLimits(rejectExpectation));
  const setListener = queueRequests(server, connections);
  await listen(server, port, host);
  const address = getServerAddress(server, host, tls === undefined ? "http" : "https");
  const [closingController, delayCutController] = [new AbortController(), new AbortController()];
  // Every delayed request adds a listener.
  setMaxListeners(0, delayCutController.signal);
  try {
    let engine = await (options.createEngine?.(address) ??
      createMemoryEngine<E>(options.engineOptions, address));
    const signals = { closeSignal: closingController.signal, cut: delayCutController.signal };
    const useEngine = (): void => {
      const listener = createListener(
        engine,
        { ...options, host, port: address.port, ...signals },
        hasControlPaths,
      );
      setListener(
        intercept === undefined
          ? listener
          : (request, response) => intercept(request, response, () => listener(request, response)),
      );
    };
    useEngine();
    return {
      ...address,
      server,
      get engine() {
        return engine;
      },
      replaceEngine: (newEngine) => {
        engine = newEngine;
        useEngine();
      },
      close: async (graceMs = 5_000) => {
        closingController.abort();
        await closeServer(server, graceMs, delayCutController);
        await engine.stop();
      },
    };
  } catch (error) {
    await closeServer(server, 0);
    throw error;
  }
};

const httpOptions = {
  keepAliveTimeout: 65_000,
  maxHeaderSize: maxHeadBytes,
  // Node would send a response without a body.
  requireHostHeader: false,
};

/** Maximum number of requests of one connection that are handled at the same time. */
const maxPipelinedRequests = 16;

/** After this time, a connection whose client does not read is destroyed, in milliseconds. */
const sendTimeoutMs = 60_000;

const createMemoryEngine = <E>(options: EngineOptions = {}, { baseUrl }: ServerAddress): E =>
  // Without `createEngine`, `E` is its default.
  new MemoryServer({ ...options, settings: { baseUrl, ...options.settings } }) as E;

/**
 * Queues requests until the engine exists. Returns a function that sets the listener and passes it the queued
 * requests.
 */
const queueRequests = (server: HttpServer, connections: Connections): ((listener: Listener) => void) => {
  const queuedRequests: Parameters<Listener>[] = [];
  let currentListener: Listener = (request, response) => void queuedRequests.push([request, response]);
  // `withLimits` may delay a request, so the current listener is looked up when the request is handled.
  server.on(
    "request",
    connections.withLimits((request, response) => currentListener(request, response)),
  );
  return (listener) => {
    currentListener = listener;
    for (const [request, response] of queuedRequests.splice(0)) listener(request, response);
  };
};

const listen = (server: HttpServer, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });

const getServerAddress = (server: HttpServer, host: string, scheme: string): ServerAddress => {
  // The address is an `AddressInfo` because the server listens on a host, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { baseUrl: `${scheme}://${name}:${String(port)}`, host, port };
};

/** Milliseconds between checks for idle connections while the server closes. */
const idleCheckIntervalMs = 10;

/** @param delayCutController is aborted after the grace period, or when no connection is left. It cuts the requests that a fault delays. */
const closeServer = async (
  server: HttpServer,
  graceMs: number,
  delayCutController?: AbortController,
): Promise<void> => {
  const serverClosed = new Promise((resolve) => server.close(resolve));
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckIntervalMs);
  const forceCloseTimer = setTimeout(() => {
    delayCutController?.abort();
    server.closeAllConnections();
  }, graceMs);
  await serverClosed;
  clearInterval(idleTimer);
  clearTimeout(forceCloseTimer);
  // A client may have disconnected from a delayed request.
  delayCutController?.abort();
};

type ListenerOptions = Parameters<typeof requestListener>[1];

/** Returns a listener for `node:http` requests, for use in a server that also has other pages. */
export const requestListener = (
  engine: EngineServer,
  options: Pick<ServerOptions, "allowedHosts" | "controlSecret"> & {
    host: string;
    port: number;
    /** Closes the event streams of the control surface. */
    closeSignal: AbortSignal;
    /** Aborts the requests that a fault delays. */
    cut?: AbortSignal;
  },
): Listener => createListener(engine, options, true);

const createListener = (
  engine: EngineServer,
  options: ListenerOptions,
  hasControlPaths: boolean,
): Listener => {
  const { host, port, allowedHosts = [], controlSecret, closeSignal, cut: delayCutSignal } = options;
  const acceptedHosts = [
    ...allowedHosts,
    new URL(engine.settings.baseUrl).host,
    new URL(engine.settings.authUrl).host,
  ];
  const isOffLoopback = !isLoopbackHost(host);
  const namesThisServer = createHostGuard({ host, port, allowedHosts: acceptedHosts });
  return (request, response) => {
    if (request.headers.host === undefined) {
      sendEngineResponse(request, response, createErrorResponse(errors["request:malformed/host"]()));
    } else if (!namesThisServer(request)) {
      sendEngineResponse(request, response, createErrorResponse(errors["auth:forbidden/host"]()));
    } else if (hasControlPaths && isControlPath(request.url ?? "")) {
      response.setHeader("x-request-id", createRequestId());
      const { baseUrl } = engine.settings;
      const options = { secret: controlSecret, baseUrl, closeSignal };
      void handleControlRequest(engine, options, request, response);
    } else {
      handleApiRequest(engine, { offLoopback: isOffLoopback, cut: delayCutSignal }, request, response);
    }
  };
};

/** Responds to an `Expect` header other than `100-continue`. See https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1. */
const rejectExpectation: Listener = (request, response) => {
  sendEngineResponse(request, response, createErrorResponse(errors["request:malformed/expect"]()));
};

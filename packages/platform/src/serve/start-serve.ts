import { readFile } from "node:fs/promises";
import { type Server as HttpServer, createServer as createHttpServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordCounts } from "@mgmt/cluster/rows/count-rows";
import { type RunningServer, createServer } from "@mgmt/engine/http";
import type { StoredServer } from "@mgmt/engine/internal";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { type Logger, pino } from "pino";
import { serveErrors } from "../errors/serve-error.js";
import { AdminPages } from "./admin-pages.js";
import type { ServeSettings } from "./config-schema.js";
import { ServiceMetrics } from "./metrics.js";
import { type Incarnation, openIncarnation } from "./incarnation.js";
import { defaultListenAddress, getBaseUrl, parsePublicAddress } from "./open-service.js";
import { createRequestObserver, handleInTrace } from "./request-log.js";

/** A running server of a service. */
export interface RunningService {
  /** URL of the API, as this server listens. */
  readonly address: string;
  /** URL of the API for its clients. */
  readonly baseUrl: string;
  /** URL of the health pages and metrics. */
  readonly adminAddress: string;
  /** Finishes the requests in progress, and stops. Safe to call more than once. */
  stop(): Promise<void>;
}

/**
 * How long connections are accepted after a stop begins, until proxies have learned of it, and how long they stay open, so that clients
 * learn from a response that they close, in milliseconds.
 */
const drainTimesMs = { accept: 1_000, keepAlive: 3_000 };
const drainPollIntervalMs = 20;

/** How long closing an incarnation of the server may take, in milliseconds. */
const closeTimeoutMs = 5_000;

/** Time between attempts to start again, in milliseconds. */
const restartDelayMs = 1_000;

const healthPages = ["/healthz", "/readyz"];
const adminPages = [...healthPages, "/metrics"];

/**
 * Starts a server of a service.
 *
 * @param options.write receives the log, lines of JSON.
 * @param options.heartbeatIntervalMs time between heartbeats, in milliseconds. Default: the interval of `ServerLease`.
 * @throws ServeError; ClusterError. Nothing is left listening then.
 */
export const startServe = async (
  settings: ServeSettings,
  { write, heartbeatIntervalMs }: { write: (line: string) => void; heartbeatIntervalMs?: number },
): Promise<RunningService> => {
  const logger = pino({ level: settings.logLevel ?? "info", base: null }, { write });
  const tls = settings.tls && {
    cert: await readTlsFile(settings.tls.certFile),
    key: await readTlsFile(settings.tls.keyFile),
  };
  const service = new Service(settings, logger, heartbeatIntervalMs);
  return service.start(tls);
};

const readTlsFile = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: unknown) => {
    throw serveErrors.configInvalid("tls", [`${path} cannot be read (${String(readErrorCode(error))})`]);
  });

/** A server that starts again when others have taken its work, because it was frozen or could not reach Postgres for a while. */
class Service {
  readonly #settings: ServeSettings;
  readonly #logger: Logger;
  readonly #heartbeatIntervalMs: number | undefined;
  readonly #metrics = new ServiceMetrics();
  #incarnation: Incarnation | undefined;
  #server: RunningServer<StoredServer> | undefined;
  #adminServer: HttpServer | undefined;
  #isDraining = false;
  #restarting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: ServeSettings, logger: Logger, heartbeatIntervalMs: number | undefined) {
    this.#settings = settings;
    this.#logger = logger;
    this.#heartbeatIntervalMs = heartbeatIntervalMs;
  }

  async start(tls: { cert: string; key: string } | undefined): Promise<RunningService> {
    const pages = new AdminPages({
      metrics: this.#metrics,
      getUnreadiness: () =>
        this.#isDraining ? "draining" : this.#restarting !== undefined ? "starting again" : undefined,
      readCounts: () => this.#readCounts(),
      countClosed: () => this.#incarnation?.databases.countClosed() ?? 0,
    });
    const listenAddress = parsePublicAddress(this.#settings.listen ?? defaultListenAddress);
    const pageNames = this.#settings.adminListen === undefined ? healthPages : [];
    const trustProxy = this.#settings.trustProxy ?? false;
    try {
      const server = await createServer<StoredServer>(
        { ...listenAddress, createEngine: ({ baseUrl }) => this.#openEngine(baseUrl) },
        {
          tls,
          hasControlPaths: false,
          intercept: (request, response, handle) => {
            if (this.#isDraining) response.setHeader("connection", "close");
            if (pages.respond(request, response, pageNames)) return;
            handleInTrace(request, response, { trustProxy, handle });
          },
        },
      ).catch((error: unknown) => {
        throw toListenError(`${listenAddress.host}:${String(listenAddress.port)}`, error);
      });
      this.#server = server;
      this.#adminServer = await startAdminServer(this.#settings, pages);
      const { baseUrl: address, engine } = server;
      const { baseUrl } = engine.settings;
      const adminAddress = this.#adminServer === undefined ? address : getHttpAddress(this.#adminServer);
      this.#logger.info({ baseUrl, address, adminAddress, pid: process.pid }, "ready");
      return { address, baseUrl, adminAddress, stop: () => (this.#stopping ??= this.#stop()) };
    } catch (error) {
      await this.#server?.close(0);
      await this.#incarnation?.close();
      throw error;
    }
  }

  #readCounts(): Promise<RecordCounts> {
    return this.#incarnation?.serviceRecords.records.readCounts() ?? Promise.reject(new Error("Not started"));
  }

  /** @param address the address of this server, for a port that was not known before. */
  async #openEngine(address: string): Promise<StoredServer> {
    const incarnation = await openIncarnation(this.#settings, {
      baseUrl: this.#settings.baseUrl === undefined ? address : getBaseUrl(this.#settings),
      onLost: () => {
        this.#restarting = this.#restart(address).finally(() => (this.#restarting = undefined));
      },
      heartbeatIntervalMs: this.#heartbeatIntervalMs,
      onLog: (line) => this.#logger.warn(line),
      onDefect: (error) => this.#logger.error({ err: error }, "defect"),
    });
    this.#incarnation = incarnation;
    const { engine } = incarnation;
    engine.followRequests(createRequestObserver(this.#logger, this.#metrics));
    engine.start();
    return engine;
  }

  async #restart(address: string): Promise<void> {
    this.#logger.warn("Other servers have taken the work of this one, so it starts again");
    await closeInTime(this.#incarnation);
    while (!this.#isDraining) {
      try {
        this.#server?.replaceEngine(await this.#openEngine(address));
        this.#logger.info("ready");
        break;
      } catch (error) {
        this.#logger.error({ err: error }, "The server could not start again");
        await sleep(restartDelayMs);
      }
    }
  }

  async #stop(): Promise<void> {
    this.#isDraining = true;
    this.#logger.info("draining");
    if (this.#server !== undefined) await drain(this.#server, this.#settings.drainSeconds ?? 30);
    // A restart may be opening a new incarnation.
    await this.#restarting;
    await closeInTime(this.#incarnation);
    this.#adminServer?.closeAllConnections();
    this.#adminServer?.close();
    this.#logger.info("stopped");
  }
}

/** Closes an incarnation of the server. Work that does not end is left to others. */
const closeInTime = async (incarnation: Incarnation | undefined): Promise<void> => {
  const close = async (): Promise<void> => {
    await incarnation?.engine.stop().catch(() => undefined);
    await incarnation?.close();
  };
  await Promise.race([close(), sleep(closeTimeoutMs, undefined, { ref: false })]);
};

const toListenError = (address: string, error: unknown): unknown => {
  const code = readErrorCode(error);
  if (code === "EADDRINUSE") return serveErrors.cannotListen(address, "the port is in use", error);
  return code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND"
    ? serveErrors.cannotListen(address, String(code), error)
    : error;
};

/** Starts the server of the health pages and metrics, if it has an address of its own. */
const startAdminServer = async (
  settings: ServeSettings,
  pages: AdminPages,
): Promise<HttpServer | undefined> => {
  if (settings.adminListen === undefined) return undefined;
  const address = parsePublicAddress(settings.adminListen);
  const server = createHttpServer((request, response) => {
    if (!pages.respond(request, response, adminPages)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(String(settings.adminListen), error)));
    server.listen(address.port, address.host, resolve);
  });
  return server;
};

const getHttpAddress = (server: HttpServer): string => {
  const address = server.address();
  if (address === null || typeof address === "string") return "";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${String(address.port)}`;
};

/** Lets clients close their connections, and then finishes the requests in progress. */
const drain = async (server: RunningServer<StoredServer>, drainSeconds: number): Promise<void> => {
  const drainMs = drainSeconds * 1_000;
  await sleep(Math.min(drainTimesMs.accept, drainMs));
  const keepAliveDeadline =
    performance.now() + Math.min(drainTimesMs.keepAlive - drainTimesMs.accept, drainMs);
  while (performance.now() < keepAliveDeadline && (await countConnections(server.server)) > 0)
    await sleep(drainPollIntervalMs);
  // Another server repeats work on databases that does not end.
  await Promise.race([server.close(drainMs), sleep(drainMs + closeTimeoutMs, undefined, { ref: false })]);
};

const countConnections = (server: HttpServer): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

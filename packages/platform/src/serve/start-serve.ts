import { readFile } from "node:fs/promises";
import { type Server as HttpServer, createServer as createHttpServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenDatabases } from "@mgmt/cluster/open-databases";
import { type RunningServer, type ServerAddress, createServer } from "@mgmt/engine/http";
import type { StoredServer } from "@mgmt/engine/internal";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { type Logger, pino } from "pino";
import { serveErrors } from "../errors/serve-error.js";
import { AdminPages } from "./admin-pages.js";
import type { ServeSettings } from "./config-schema.js";
import { ServiceMetrics } from "./metrics.js";
import {
  type ServiceRecords,
  defaultListenAddress,
  getBaseUrl,
  openServiceDatabases,
  openServiceEngine,
  openServiceRecords,
  parsePublicAddress,
} from "./open-service.js";
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

const healthPages = ["/healthz", "/readyz"];
const adminPages = [...healthPages, "/metrics"];

/**
 * Starts a server of a service.
 *
 * @param write receives the log, lines of JSON.
 * @throws ServeError; ClusterError. Nothing is left listening then.
 */
export const startServe = async (
  settings: ServeSettings,
  { write }: { write: (line: string) => void },
): Promise<RunningService> => {
  const logger = pino({ level: settings.logLevel ?? "info", base: null }, { write });
  const tls = settings.tls && {
    cert: await readTlsFile(settings.tls.certFile),
    key: await readTlsFile(settings.tls.keyFile),
  };
  const serviceRecords = await openServiceRecords(settings);
  try {
    return await startWithRecords(settings, serviceRecords, { logger, tls });
  } catch (error) {
    await serviceRecords.records.close();
    throw error;
  }
};

const readTlsFile = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: unknown) => {
    throw serveErrors.configInvalid("tls", [`${path} cannot be read (${String(errorCode(error))})`]);
  });

const startWithRecords = async (
  settings: ServeSettings,
  serviceRecords: ServiceRecords,
  { logger, tls }: { logger: Logger; tls: { cert: string; key: string } | undefined },
): Promise<RunningService> => {
  const { records } = serviceRecords;
  const metrics = new ServiceMetrics();
  let isDraining = false;
  const pages = new AdminPages({ metrics, isDraining: () => isDraining, readCounts: records.readCounts });
  const databases = await openServiceDatabases(settings, serviceRecords, (line) => logger.warn(line));
  let server: RunningServer<StoredServer> | undefined;
  try {
    const createEngine = (address: ServerAddress): Promise<StoredServer> =>
      openServiceEngine(settings, serviceRecords, {
        // The port 0 is any free port.
        baseUrl: settings.baseUrl === undefined ? address.baseUrl : getBaseUrl(settings),
        databaseEngine: databases.engine,
        onDefect: (error) => logger.error({ err: error }, "defect"),
      });
    const listenAddress = parsePublicAddress(settings.listen ?? defaultListenAddress);
    const runningServer = await createServer<StoredServer>(
      { ...listenAddress, createEngine },
      {
        tls,
        hasControlPaths: false,
        intercept: (request, response, handle) => {
          if (isDraining) response.setHeader("connection", "close");
          const names = settings.adminListen === undefined ? healthPages : [];
          if (pages.respond(request, response, names)) return;
          handleInTrace(request, response, { trustProxy: settings.trustProxy ?? false, handle });
        },
      },
    ).catch((error: unknown) => {
      throw toListenError(`${listenAddress.host}:${String(listenAddress.port)}`, error);
    });
    server = runningServer;
    const adminServer = await startAdminServer(settings, pages);
    const { engine } = runningServer;
    engine.followRequests(createRequestObserver(logger, metrics));
    engine.start();
    const { baseUrl } = engine.settings;
    const adminAddress = adminServer === undefined ? runningServer.baseUrl : getHttpAddress(adminServer);
    logger.info({ baseUrl, address: runningServer.baseUrl, adminAddress, pid: process.pid }, "ready");
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      isDraining = true;
      logger.info("draining");
      await drain(runningServer, settings.drainSeconds ?? 30);
      await closeAll(databases, serviceRecords);
      adminServer?.closeAllConnections();
      adminServer?.close();
      logger.info("stopped");
    };
    return { address: runningServer.baseUrl, baseUrl, adminAddress, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await server?.close(0);
    await databases.close();
    throw error;
  }
};

const toListenError = (address: string, error: unknown): unknown => {
  const code = errorCode(error);
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
  const keepAliveEnd = performance.now() + Math.min(drainTimesMs.keepAlive - drainTimesMs.accept, drainMs);
  while (performance.now() < keepAliveEnd && (await countConnections(server.server)) > 0)
    await sleep(drainPollIntervalMs);
  await server.close(drainMs);
};

const countConnections = (server: HttpServer): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

const closeAll = async (databases: OpenDatabases, { records }: ServiceRecords): Promise<void> => {
  // Unfinished work fails when these are closed, and another server repeats it.
  await databases.close().catch(() => undefined);
  await records.close().catch(() => undefined);
};

import type { ErrorCodes, PublicClient, UnknownFields } from "@mgmt/engine";
import { observe } from "@mgmt/internal/observers/observe";
import { type DataDir, openDataDir } from "../machine/data-dir/data-dir.js";
import { createEphemeralDir } from "../machine/ephemeral-dir.js";
import { createRecordKeys, readRecordKeys } from "../machine/data-dir/record-keys.js";
import { getDefaultDataDir } from "../machine/data-dir/directories.js";
import type { OpenProxy } from "./open-proxy.js";
import { type OpenPostgres, openPostgres, stopOnAbort } from "./open-postgres.js";
import type { OpenServer } from "./open-server.js";
import { isCausedByFullDisk, platformErrors } from "../errors/platform-error.js";
import { isPortFree } from "../machine/ports.js";
import { rejectMissingLoopback } from "../machine/loopback.js";
import { rejectLowLimits } from "../machine/process-limits.js";
import type { Ready } from "./ready.js";

export interface PlatformOptions {
  /** Port of the API. 0 selects the port of the last run on this data directory if it is free, or any free port. */
  port: number;
  /** Address that the API listens on. Default: `127.0.0.1`. Postgres always listens on `127.0.0.1`. */
  host?: string;
  /** Directory for all persistent data. Default: `mgmt` in the user's directory for application state. */
  dataDir?: string;
  /**
   * Uses records that do not fit the databases: records of an earlier start, and records that lack many databases, which are closed and
   * kept for 7 days. Default: false, which rejects the start.
   */
  acceptRecords?: boolean;
  /** Removes all data when the platform ends, even when it is killed. Default: false. */
  ephemeral?: boolean;
  /**
   * Maximum number of connections per database through the proxy; null for no limit. Postgres itself accepts at most 100 for each
   * login and database, and 500 in total. Default: 100.
   */
  connectionsPerDatabase?: number | null;
  /**
   * How to handle body fields that are not in the contract. `ignore` drops them, and logs each name once. `refuse` is a validation error.
   * Default: `ignore`, because published programs send fields of older versions.
   */
  unknownFields?: UnknownFields;
  /** Error codes in responses: the contract's, or those that programs written for Prisma's Management API know. Default: `contract`. */
  errorCodes?: ErrorCodes;
  /**
   * Public OAuth clients of programs that contain a fixed client id. They exist until the platform ends, and a reset keeps
   * them. Their ids may omit the prefix `itgr_`. Default: none.
   */
  oauthClients?: readonly PublicClient[];
  /**
   * Whether browsers must send a key to sign in and to see approvals, so that other users on this machine cannot. The key is new on each
   * start. Default: true.
   */
  requireSignInKey?: boolean;
  /** Cancels the start. After the start, use `stop`. */
  signal?: AbortSignal;
  /** Receives log messages. The first error that it throws is printed with `console.warn`. */
  onLog?: (line: string) => void;
}

/** A running platform: the server of the API, and Postgres. */
export interface Platform {
  readonly ready: Ready;
  /** The key of `signInKeyFile`; null if none is required. */
  readonly signInKey: string | null;
  /** Stops the server and Postgres, and resolves when both have stopped. Safe to call more than once. */
  stop(): Promise<void>;
  /** Resolves when the platform has stopped, with an error unless `stop` was called. */
  readonly closed: Promise<Error | undefined>;
}

/**
 * Starts the reference server with real Postgres databases. Every process it starts ends with this process, even when
 * this process is killed.
 *
 * @throws PlatformError after stopping everything that was started; the reason of `signal` when it is aborted.
 */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  if (process.platform === "win32") {
    throw platformErrors.unsupportedSystem(
      "The platform does not run on Windows",
      "Run it in the Windows Subsystem for Linux.",
    );
  }
  const {
    host = "127.0.0.1",
    port,
    ephemeral = false,
    connectionsPerDatabase = 100,
    oauthClients = [],
    unknownFields = "ignore",
    errorCodes = "contract",
    requireSignInKey = true,
    acceptRecords = false,
    signal,
  } = options;
  const onLog = (line: string): void => observe("onLog", options.onLog, line);
  signal?.throwIfAborted();
  await rejectLowLimits();
  rejectMissingLoopback();
  await rejectUnusablePort(port, host);

  const dataDir = ephemeral
    ? await createEphemeralDir()
    : await openDataDir(options.dataDir ?? getDefaultDataDir());
  let postgres: OpenPostgres | undefined;
  let proxy: OpenProxy | undefined;
  try {
    const waitOptions = { onProgramStarted: () => void loadServer(), signal };
    // Lost keys are rejected before anything runs.
    const existingKeys = dataDir.manifest && (await readRecordKeys(dataDir.path));
    postgres = await openPostgres(dataDir, waitOptions);
    const recordKeys = existingKeys ?? (await createRecordKeys(dataDir));
    const supervisor = postgres.supervisor;
    supervisor.onRestart = (cause) =>
      onLog(
        cause === "exited"
          ? "Postgres stopped unexpectedly and is being restarted"
          : "Postgres runs but accepts no connections, so it is being restarted",
      );
    supervisor.onSlow = () => onLog("Postgres is recovering and accepts no connections yet");
    supervisor.onDiskFull = () =>
      onLog(
        `Postgres cannot be restarted: the disk of ${dataDir.path} is full. Free at least 100 MB there, and it is restarted`,
      );
    supervisor.onDiskFree = () => onLog("Postgres has been restarted: there is space on the disk again");
    const { openProxy, openServer } = await loadServer();
    proxy = await openProxy({ dataDir, postgres, onLog, connectionLimit: connectionsPerDatabase });
    const parts = { dataDir, postgres, proxy };
    const context = {
      ...{ ...parts, host, port, onLog, recordKeys },
      ...{ oauthClients, unknownFields, errorCodes, requireSignInKey, acceptRecords },
    };
    const server = await stopOnAbort(supervisor, waitOptions, () => openServer(context));
    return createPlatform({ ...parts, server });
  } catch (error) {
    await proxy?.server.close();
    await postgres?.supervisor.stop();
    await dataDir.release();
    signal?.throwIfAborted();
    throw isCausedByFullDisk(error) ? platformErrors.diskFull(dataDir.path, error) : error;
  }
};

/** Loads the reference server. This takes a while, so it happens while Postgres starts. */
const loadServer = (): Promise<typeof import("./open-server.js")> => import("./open-server.js");

/** Fails early, before any process is started. */
const rejectUnusablePort = async (port: number, host: string): Promise<void> => {
  const isFree = await isPortFree(port, host).catch((error: unknown) => {
    throw platformErrors.cannotListen(port, host, error);
  });
  if (!isFree) throw platformErrors.portTaken(port, host);
};

interface PlatformParts {
  dataDir: DataDir;
  postgres: OpenPostgres;
  proxy: OpenProxy;
  server: OpenServer;
}

const createPlatform = ({ dataDir, postgres, proxy, server }: PlatformParts): Platform => {
  const imageSaved = postgres.saveImage();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.close();
    proxy.server.stopAccepting();
    // Postgres stops before the proxy, so that sessions receive its last message.
    await postgres.supervisor.stop();
    await proxy.server.close();
    await imageSaved;
    await dataDir.release();
  };
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  const closed = postgres.supervisor.exited.then(async (cause) => {
    const failure = stopping === undefined ? platformErrors.postgresExited(cause) : undefined;
    await stopOnce();
    return failure;
  });
  return { ready: server.ready, signInKey: server.signInKey, stop: stopOnce, closed };
};

import { type DataDir, makeEphemeralDir, openDataDir } from "./data-dir/data-dir.js";
import { defaultDataDir } from "./directories.js";
import { type OpenPostgres, openPostgres } from "./open-postgres.js";
import type { OpenServer } from "./open-server.js";
import { platformErrors } from "./platform-error.js";
import { isFree } from "./ports.js";

export interface PlatformOptions {
  /** Port of the API; 0: that of the last run on this data directory while it is free, else any free one. */
  port: number;
  /** Address that the API listens on. Default: `127.0.0.1`, where Postgres listens always. */
  host?: string;
  /** Where everything is kept between runs. Default: `mgmt` in the user's directory for application state. */
  dataDir?: string;
  /** Keeps nothing: all data is gone when the platform ends, however it ends. */
  ephemeral?: boolean;
  /** Told what a person may want to know meanwhile. */
  onLog?: (line: string) => void;
}

/** Where everything is. URLs without a trailing slash and without `/v1`. */
export interface Ready {
  baseUrl: string;
  authUrl: string;
  controlUrl: string;
  /** A file that only we can read (0600), with the secret of the control surface. */
  controlSecretFile: string;
  /** A service token of the seeded workspace: the same one in every run on this data directory and address. */
  token: string;
  workspaceId: string;
  pid: number;
}

export interface Platform {
  readonly ready: Ready;
  /** Ends server and databases; nothing is left running afterwards. May be called more than once. */
  stop(): Promise<void>;
  /** Settles when the platform has ended: with an error when it was not stopped. */
  readonly closed: Promise<Error | undefined>;
}

/**
 * Starts the reference server with real databases behind it. Everything that it starts ends with this process, also when
 * that is killed.
 *
 * @throws PlatformError; nothing is left running then.
 */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  if (process.platform === "win32") {
    throw platformErrors.unsupportedSystem(
      "The platform does not run on Windows itself.",
      "Run it in the Windows Subsystem for Linux.",
    );
  }
  const { host = "127.0.0.1", port, ephemeral = false, onLog = () => undefined } = options;
  await refuseUnusablePort(port, host);

  const dataDir = ephemeral
    ? await makeEphemeralDir()
    : await openDataDir(options.dataDir ?? defaultDataDir());
  let postgres: OpenPostgres | undefined;
  try {
    const kept = dataDir.kept && (await loadServer()).readKeptStates(dataDir);
    postgres = await openPostgres(dataDir, () => void loadServer());
    const { openServer } = await loadServer();
    const server = await openServer({ host, port, onLog, dataDir, kept, postgres });
    return run(dataDir, postgres, server);
  } catch (error) {
    await postgres?.server.stop();
    await dataDir.release();
    throw error;
  }
};

/** The reference server takes its time to load: best done while Postgres starts. */
const loadServer = (): Promise<typeof import("./open-server.js")> => import("./open-server.js");

/** Before anything is started. */
const refuseUnusablePort = async (port: number, host: string): Promise<void> => {
  const free = await isFree(port, host).catch((error: unknown) => {
    throw platformErrors.cannotListen(port, host, error);
  });
  if (!free) throw platformErrors.portTaken(port, host);
};

const run = (dataDir: DataDir, postgres: OpenPostgres, server: OpenServer): Platform => {
  const imageSaved = postgres.saveImage();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.close();
    await postgres.server.stop();
    await imageSaved;
    await dataDir.release();
  };
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  const closed = postgres.server.ended.then(async () => {
    const failure = stopping === undefined ? platformErrors.postgresEnded() : undefined;
    await stopOnce();
    return failure;
  });
  return { ready: server.ready, stop: stopOnce, closed };
};

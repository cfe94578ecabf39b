import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ReferenceEngine,
  type RunningServer,
  type ServerAddress,
  type Snapshot,
  assertSnapshot,
  createServer,
} from "@mgmt/engine";
import { writeAtomically } from "./data-dir/atomic-file.js";
import { type DataDir, filesIn } from "./data-dir/data-dir.js";
import { writeManifest } from "./data-dir/manifest.js";
import { StateFile, writeState } from "./data-dir/state-file.js";
import { type OpenDatabases, openDatabases } from "./databases/open-databases.js";
import type { OpenPostgres } from "./open-postgres.js";
import type { Ready } from "./platform.js";
import { platformErrors, systemErrorCode } from "./platform-error.js";
import { isFree } from "./ports.js";
import { recordedDatabases, withLosses } from "./records.js";
import { issueServiceToken } from "./service-token.js";

export interface OpenServer {
  ready: Ready;
  /** Ends the server in good order; work that takes longer than the grace begins again at the next start. */
  close(): Promise<void>;
}

/** What an earlier run has left. */
export interface KeptStates {
  /** The state at its end. */
  state: Snapshot;
  /** The state of the very first start. */
  initial: Snapshot;
}

interface Surroundings {
  host: string;
  port: number;
  onLog: (line: string) => void;
  dataDir: DataDir;
  kept: KeptStates | undefined;
  postgres: OpenPostgres;
}

/** Patience with requests and work under way, in milliseconds. */
const grace = 2_000;

/** The standalone server's limit (§ Limits). */
const rateLimit = { requests: 600, window: 60_000 };

/** Opens the databases that the kept state speaks of, and the API in front of them. */
export const openServer = async (surroundings: Surroundings): Promise<OpenServer> => {
  const { host, port, postgres, onLog, kept } = surroundings;
  const recorded = kept === undefined ? [] : recordedDatabases(kept.state);
  const databases = await openDatabases(postgres.address, postgres.major, recorded);
  const { losses } = databases;
  for (const id of losses.databaseIds) onLog(`Postgres has no data of the database ${id}`);
  try {
    return await serve(surroundings, databases, kept && { ...kept, state: withLosses(kept.state, losses) });
  } catch (error) {
    await databases.close();
    throw systemErrorCode(error) === "EADDRINUSE" ? platformErrors.portTaken(port, host) : error;
  }
};

/** @throws PlatformError `platform:data_dir_corrupt`. */
export const readKeptStates = ({ kept, path }: DataDir): KeptStates | undefined => {
  if (kept === undefined) return undefined;
  try {
    const { state, initial } = kept;
    assertSnapshot(state);
    assertSnapshot(initial);
    recordedDatabases(state);
    return { state, initial };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw platformErrors.dataDirCorrupt(path, `it holds no state of the server (${what})`, error);
  }
};

const serve = async (
  surroundings: Surroundings,
  databases: OpenDatabases,
  kept: KeptStates | undefined,
): Promise<OpenServer> => {
  const { host, dataDir, postgres, onLog } = surroundings;
  const files = filesIn(dataDir.path);
  const controlSecret = randomBytes(24).toString("base64url");
  await writeAtomically(files.controlSecret, controlSecret, { durable: false });

  let state: StateFile | undefined;
  const createEngine = ({ baseUrl }: ServerAddress): ReferenceEngine => {
    const engine = new ReferenceEngine({
      settings: { baseUrl, authUrl: baseUrl, lifecycle: { provisioning: 0, recovering: 0 }, rateLimit },
      databaseEngine: databases.engine,
      afterMutation: () => state?.save(),
      onDefect: (error) => onLog(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      ...(kept && { snapshot: kept.state, initial: kept.initial }),
    });
    if (!dataDir.ephemeral) state = new StateFile(files.state, () => engine.snapshot());
    return engine;
  };
  const server = await createServer({
    host,
    port: await choosePort(surroundings),
    createEngine,
    ...(isLoopback(host) && { controlSecret }),
  });
  try {
    const issued = await issueServiceToken(server.engine, files.token);
    if (!dataDir.ephemeral) {
      if (kept === undefined) await writeState(files.initial, server.engine.snapshot());
      await state?.save();
      await completeManifest(dataDir, postgres, server.port);
    }
    const { baseUrl } = server;
    return {
      ready: {
        baseUrl,
        authUrl: baseUrl,
        controlUrl: `${baseUrl}/_control`,
        controlSecretFile: files.controlSecret,
        ...issued,
        pid: process.pid,
      },
      close: () => close(server, databases, state),
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
};

/** Off loopback the control surface is off. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host.startsWith("127.");

/** The port of the last run keeps its URLs and its token right. */
const choosePort = async ({ port, host, dataDir }: Surroundings): Promise<number> => {
  const last = dataDir.kept?.manifest.port ?? null;
  return port === 0 && last !== null && (await isFree(last, host)) ? last : port;
};

const completeManifest = async (
  dataDir: DataDir,
  { manifest }: OpenPostgres,
  port: number,
): Promise<void> => {
  if (manifest.postgres.complete && manifest.port === port) return;
  await writeManifest(dataDir.path, {
    ...manifest,
    port,
    postgres: { ...manifest.postgres, complete: true },
  });
};

const close = async (
  server: RunningServer,
  databases: OpenDatabases,
  state: StateFile | undefined,
): Promise<void> => {
  const patience = sleep(grace * 2, undefined, { ref: false });
  await Promise.race([server.close(grace).catch(() => undefined), patience]);
  // Work that is cut short below fails, and that shall not be kept: the kept state lets it begin again.
  await state?.close().catch(() => undefined);
  await Promise.race([databases.close().catch(() => undefined), patience]);
};

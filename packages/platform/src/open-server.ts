import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  ControlError,
  type ErrorCodes,
  type PublicClient,
  ReferenceEngine,
  type RunningServer,
  type ServerAddress,
  type Snapshot,
  type UnknownFields,
  createServer,
  isLoopbackHost,
  readSnapshot,
} from "@mgmt/engine";
import { writeAtomically } from "./data-dir/atomic-file.js";
import { type DataDir, filesIn } from "./data-dir/data-dir.js";
import { type Manifest, writeManifest } from "./data-dir/manifest.js";
import { StateFile, writeState } from "./data-dir/state-file.js";
import { type OpenDatabases, openDatabases } from "./databases/open-databases.js";
import type { OpenFront } from "./open-front.js";
import type { OpenPostgres } from "./open-postgres.js";
import { platformErrors, systemErrorCode } from "./platform-error.js";
import { reportIgnoredFields } from "./ignored-fields.js";
import { isFree } from "./ports.js";
import type { Ready } from "./ready.js";
import { markLost, recordedDatabases } from "./records.js";
import { issueServiceToken } from "./service-token.js";

export interface OpenServer {
  ready: Ready;
  signInKey: string | null;
  /** Stops the server. Database work that does not finish within the grace period is repeated at the next start. */
  close(): Promise<void>;
}

/** States that earlier runs stored. */
export interface StoredStates {
  /** The latest state. */
  state: Snapshot;
  /** State after the first start. */
  initial: Snapshot;
}

interface ServerContext {
  host: string;
  port: number;
  onLog: (line: string) => void;
  dataDir: DataDir;
  stored: StoredStates | undefined;
  postgres: OpenPostgres;
  front: OpenFront;
  oauthClients: readonly PublicClient[];
  unknownFields: UnknownFields;
  errorCodes: ErrorCodes;
  requireSignInKey: boolean;
}

/** Time that requests and database work in progress have to finish at shutdown, in milliseconds. */
const grace = 2_000;

/** Requests per token and window (milliseconds). */
const rateLimit = { requests: 600, window: 60_000 };

/** Opens the databases of the stored state and serves the API. */
export const openServer = async (context: ServerContext): Promise<OpenServer> => {
  const { host, port, postgres, front, onLog, stored } = context;
  const recorded = stored === undefined ? [] : recordedDatabases(stored.state);
  const databases = await openDatabases(postgres.address, postgres.major, recorded, front.server.port);
  front.server.open((user) => databases.databaseOf(user));
  const { missing } = databases;
  for (const id of missing.databaseIds) onLog(`Postgres has no data for the database ${id}`);
  for (const problem of databases.problems) onLog(problem);
  try {
    return await serve(
      context,
      databases,
      stored && { ...stored, state: markLost(stored.state, missing, databases.broken) },
    );
  } catch (error) {
    await databases.close();
    throw systemErrorCode(error) === "EADDRINUSE" ? platformErrors.portTaken(port, host) : error;
  }
};

/**
 * Validates the states in a data directory.
 *
 * @throws PlatformError `platform:data_dir_corrupt`.
 */
export const readStoredStates = ({ stored, path }: DataDir): StoredStates | undefined => {
  if (stored === undefined) return undefined;
  try {
    const state = readSnapshot(stored.state);
    const initial = readSnapshot(stored.initial);
    recordedDatabases(state);
    return { state, initial };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw platformErrors.dataDirCorrupt(path, `it contains no valid state of the server (${what})`, error);
  }
};

const serve = async (
  context: ServerContext,
  databases: OpenDatabases,
  stored: StoredStates | undefined,
): Promise<OpenServer> => {
  const { host, dataDir, postgres, front, onLog, unknownFields, errorCodes } = context;
  const files = filesIn(dataDir.path);
  const controlSecret = randomBytes(24).toString("base64url");
  await writeAtomically(files.controlSecret, controlSecret, { durable: false });
  const signInKey = context.requireSignInKey ? randomBytes(32).toString("base64url") : null;
  if (signInKey === null) await rm(files.signInKey, { force: true });
  else await writeAtomically(files.signInKey, signInKey, { durable: false });

  let state: StateFile | undefined;
  const createEngine = ({ baseUrl }: ServerAddress): ReferenceEngine => {
    const engine = new ReferenceEngine({
      settings: {
        baseUrl,
        authUrl: baseUrl,
        lifecycle: { provisioning: 0, recovering: 0 },
        rateLimit,
        unknownFields,
        errorCodes,
      },
      databaseEngine: databases.engine,
      dataPlane: front.server,
      ...(signInKey !== null && { signInKey }),
      afterMutation: () => state?.save(),
      onDefect: (error) => onLog(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      ...(stored && { snapshot: stored.state, initial: stored.initial }),
    });
    engine.followRequests(reportIgnoredFields(onLog));
    if (!dataDir.ephemeral) state = new StateFile(files.state, () => engine.snapshot());
    return engine;
  };
  const server = await createServer({
    host,
    port: await choosePort(context),
    createEngine,
    // Without a loopback address there is no control surface.
    ...(isLoopbackHost(host) && { controlSecret }),
  });
  try {
    const issued = await issueServiceToken(server.engine, files.token);
    for (const client of context.oauthClients) await registerClient(server.engine, client);
    if (!dataDir.ephemeral) {
      if (stored === undefined) await writeState(files.initial, server.engine.snapshot());
      await state?.save();
      await completeManifest(context, server.port);
    }
    const { baseUrl } = server;
    return {
      ready: {
        baseUrl,
        authUrl: baseUrl,
        controlUrl: `${baseUrl}/_control`,
        controlSecretFile: files.controlSecret,
        signInKeyFile: signInKey === null ? null : files.signInKey,
        ...issued,
        caFile: front.caFile,
        postgresPort: postgres.address.port,
        pid: process.pid,
      },
      signInKey,
      close: () => close(server, databases, state),
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
};

/** @throws PlatformError `platform:invalid_oauth_client`. */
const registerClient = async ({ oauth }: ReferenceEngine, client: PublicClient): Promise<void> => {
  try {
    await oauth.ensurePublicClient(client);
  } catch (error) {
    if (error instanceof ControlError) throw platformErrors.invalidOAuthClient(client.id, error);
    throw error;
  }
};

/** Prefers the port of the last run, so that its URLs and token stay valid. */
const choosePort = async ({ port, host, dataDir }: ServerContext): Promise<number> => {
  const last = dataDir.stored?.manifest.port ?? null;
  return port === 0 && last !== null && (await isFree(last, host)) ? last : port;
};

const completeManifest = async ({ dataDir, postgres, front }: ServerContext, port: number): Promise<void> => {
  const { manifest, address } = postgres;
  const complete: Manifest = {
    ...manifest,
    port,
    postgres: {
      ...manifest.postgres,
      port: front.server.port,
      directPort: address.port,
      complete: true,
    },
  };
  if (!isDeepStrictEqual(complete, manifest)) await writeManifest(dataDir.path, complete);
};

const close = async (
  server: RunningServer,
  databases: OpenDatabases,
  state: StateFile | undefined,
): Promise<void> => {
  const deadline = sleep(grace * 2, undefined, { ref: false });
  await Promise.race([server.close(grace).catch(() => undefined), deadline]);
  // Closing the databases makes unfinished work fail. The state is saved first, so that the next start repeats this work.
  await state?.close().catch(() => undefined);
  await Promise.race([databases.close().catch(() => undefined), deadline]);
};

import { randomBytes } from "node:crypto";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { type EngineOptions, MemoryServer } from "@mgmt/engine";
import { type RunningServer, createServer, isLoopbackHost } from "@mgmt/engine/http";
import * as mockErrors from "../errors/mock-errors.js";
import type { ActiveRecording } from "../record/recordings.js";
import { type Arguments, renderHelp, parseCommandLine } from "./arguments.js";
import { CommandServer, type ReplaySummary } from "./command-server.js";
import { type SeedFileContent, applySeeds, readSeedFile } from "./seed-file.js";

declare const __MGMT_VERSION__: string;

/** The parts of the process that the command uses. */
export interface CommandHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints to the standard output. */
  print(text: string): void;
  /** Resolves when the command is told to stop. */
  readonly whenStopped: Promise<void>;
}

/** Milliseconds that requests in progress have to finish when the command stops. */
const closeTimeoutMs = 2_000;

/**
 * Runs `npx @mgmt/mock`.
 *
 * @throws MockError with a message for the user.
 */
export const run = async (words: readonly string[], host: CommandHost): Promise<void> => {
  const commandArguments = parseCommandLine(words);
  if (commandArguments === "help") return host.print(renderHelp());
  if (commandArguments === "version") return host.print(`${__MGMT_VERSION__}\n`);
  const controlSecret = selectControlSecret(commandArguments, host.env);
  let recording: ActiveRecording | undefined;
  let replayed: ReplaySummary | undefined;
  const onOpen = async (engine: CommandServer): Promise<void> => {
    if (commandArguments.recording)
      recording = await engine.record({ upstream: commandArguments.recording.upstream });
    replayed = engine.replayed;
  };
  const server = await startServer(commandArguments, controlSecret, onOpen);
  const { engine, baseUrl } = server;
  const readyEvent = {
    event: "ready",
    baseUrl: commandArguments.baseUrl ?? baseUrl,
    token: await engine.tokens.service(),
    workspaceId: engine.defaults.workspace.id,
    ...(controlSecret !== undefined && { controlSecret }),
    ...(replayed && { replayed }),
  };
  host.print(`${JSON.stringify(readyEvent)}\n`);
  await host.whenStopped;
  await server.close(closeTimeoutMs);
  if (commandArguments.recording) await recording?.save(commandArguments.recording.file);
};

/** A server that other machines can reach has a control surface only if its secret was chosen. */
const selectControlSecret = ({ host }: Arguments, env: CommandHost["env"]): string | undefined =>
  env["MGMT_MOCK_CONTROL_SECRET"] ??
  (isLoopbackHost(host) ? randomBytes(24).toString("base64url") : undefined);

const startServer = async (
  commandArguments: Arguments,
  controlSecret: string | undefined,
  onOpen: (engine: CommandServer) => Promise<void>,
): Promise<RunningServer> => {
  const { host, port, seed } = commandArguments;
  const seeds = seed === undefined ? undefined : await readSeedFile(seed);
  try {
    return await createServer({
      host,
      port,
      ...(controlSecret !== undefined && { controlSecret }),
      ...(commandArguments.baseUrl !== undefined && {
        allowedHosts: [new URL(commandArguments.baseUrl).host],
      }),
      createEngine: async (address) => {
        const engine = await openEngine(commandArguments, address.baseUrl, seeds);
        await onOpen(engine);
        return engine;
      },
    });
  } catch (error) {
    throw errorCode(error) === "EADDRINUSE" ? mockErrors.portInUse(port, host) : error;
  }
};

const openEngine = async (
  commandArguments: Arguments,
  address: string,
  seeds: SeedFileContent | undefined,
): Promise<CommandServer> => {
  const {
    baseUrl = address,
    deterministic,
    rateLimit,
    unknownFields,
    errorCodes,
    latency,
    replay,
  } = commandArguments;
  const options: EngineOptions = {
    ...(deterministic !== undefined && { deterministic }),
    validateResponses: true,
    settings: {
      baseUrl,
      unknownFields,
      errorCodes,
      ...(rateLimit !== undefined && { rateLimit: { requests: rateLimit, window: 60_000 } }),
    },
  };
  const initial = seeds && (await createSeedSnapshot(options, commandArguments.seed ?? "", seeds));
  const engine = new CommandServer({ ...options, ...(initial && { initial }) }, latency ?? 0);
  if (replay) await engine.startWithRecording(replay);
  return engine;
};

/** Returns the state with the seeds, so that a reset restores them. */
const createSeedSnapshot = async (options: EngineOptions, path: string, seeds: SeedFileContent) => {
  if ("snapshot" in seeds) return seeds.snapshot;
  const engine = new MemoryServer(options);
  await applySeeds(engine, path, seeds.entries);
  await engine.stop();
  return engine.snapshot();
};

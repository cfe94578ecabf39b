import { randomBytes } from "node:crypto";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { type EngineOptions, MemoryServer } from "@mgmt/engine";
import { type RunningServer, createServer, isLoopbackHost } from "@mgmt/engine/http";
import * as mockErrors from "../errors/mock-errors.js";
import type { ActiveRecording } from "../record/recordings.js";
import { type Arguments, renderHelp, parseCommandLine } from "./arguments.js";
import { CommandServer, type ReplaySummary } from "./command-server.js";
import { type SeedFileContent, applySeeds, readSeedFile } from "./seed-file.js";

declare const __MGMT_VERSION__: string;

/** The parts of the process that the command uses. */
export interface CommandProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints to the standard output. */
  print(text: string): void;
  /** Resolves when the command should stop. */
  readonly stopped: Promise<void>;
}

/** Milliseconds that requests in progress have to finish when the command stops. */
const closeTimeoutMs = 2_000;

/**
 * Runs `npx @mgmt/mock`.
 *
 * @throws MockError with a message for the user.
 */
export const run = async (args: readonly string[], commandProcess: CommandProcess): Promise<void> => {
  const commandArguments = parseCommandLine(args);
  if (commandArguments === "help") return commandProcess.print(renderHelp());
  if (commandArguments === "version") return commandProcess.print(`${__MGMT_VERSION__}\n`);
  const controlSecret = selectControlSecret(commandArguments, commandProcess.env);
  let recording: ActiveRecording | undefined;
  let replaySummary: ReplaySummary | undefined;
  const onOpen = async (engine: CommandServer): Promise<void> => {
    if (commandArguments.recording)
      recording = await engine.record({ upstream: commandArguments.recording.upstream });
    replaySummary = engine.replaySummary;
  };
  const server = await startServer(commandArguments, controlSecret, onOpen);
  const { engine, baseUrl } = server;
  const readyEvent = {
    event: "ready",
    baseUrl: commandArguments.baseUrl ?? baseUrl,
    token: await engine.tokens.service(),
    workspaceId: engine.defaults.workspace.id,
    ...(controlSecret !== undefined && { controlSecret }),
    ...(replaySummary && { replayed: replaySummary }),
  };
  commandProcess.print(`${JSON.stringify(readyEvent)}\n`);
  await commandProcess.stopped;
  await server.close(closeTimeoutMs);
  if (commandArguments.recording) await recording?.save(commandArguments.recording.file);
};

/**
 * Returns the secret of the control surface; undefined to turn the control surface off. A server that other machines can reach has one only
 * if the user has chosen the secret.
 */
const selectControlSecret = ({ host }: Arguments, env: CommandProcess["env"]): string | undefined =>
  env["MGMT_MOCK_CONTROL_SECRET"] ??
  (isLoopbackHost(host) ? randomBytes(24).toString("base64url") : undefined);

const startServer = async (
  commandArguments: Arguments,
  controlSecret: string | undefined,
  onOpen: (engine: CommandServer) => Promise<void>,
): Promise<RunningServer> => {
  const { host, port, seed: seedPath } = commandArguments;
  const seedContent = seedPath === undefined ? undefined : await readSeedFile(seedPath);
  try {
    return await createServer({
      host,
      port,
      ...(controlSecret !== undefined && { controlSecret }),
      ...(commandArguments.baseUrl !== undefined && {
        allowedHosts: [new URL(commandArguments.baseUrl).host],
      }),
      createEngine: async (address) => {
        const engine = await openEngine(commandArguments, address.baseUrl, seedContent);
        await onOpen(engine);
        return engine;
      },
    });
  } catch (error) {
    throw readErrorCode(error) === "EADDRINUSE" ? mockErrors.portInUse(port, host) : error;
  }
};

const openEngine = async (
  commandArguments: Arguments,
  serverUrl: string,
  seedContent: SeedFileContent | undefined,
): Promise<CommandServer> => {
  const {
    baseUrl = serverUrl,
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
  const initial =
    seedContent && (await resolveSeedSnapshot(options, commandArguments.seed ?? "", seedContent));
  const engine = new CommandServer({ ...options, ...(initial && { initial }) }, latency ?? 0);
  if (replay) await engine.startWithRecording(replay);
  return engine;
};

/** Returns the state with the seeds, so that a reset restores them. */
const resolveSeedSnapshot = async (options: EngineOptions, path: string, seedContent: SeedFileContent) => {
  if ("snapshot" in seedContent) return seedContent.snapshot;
  const engine = new MemoryServer(options);
  await applySeeds(engine, path, seedContent.entries);
  await engine.stop();
  return engine.snapshot();
};

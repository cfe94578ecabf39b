import { randomBytes } from "node:crypto";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { type EngineOptions, MemoryServer } from "@mgmt/engine";
import { type RunningServer, createServer, isLoopbackHost } from "@mgmt/engine/http";
import * as mockErrors from "../errors/mock-errors.js";
import type { ActiveRecording } from "../record/recordings.js";
import { type Arguments, helpText, readArguments } from "./arguments.js";
import { CommandServer, type ReplaySummary } from "./command-server.js";
import { type Seeds, applySeeds, readSeedFile } from "./seed-file.js";

declare const __MGMT_VERSION__: string;

/** The parts of the process that the command uses. */
export interface CommandHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints to the standard output. */
  print(text: string): void;
  /** Resolves when the command is told to stop. */
  readonly stopped: Promise<void>;
}

/** Milliseconds that requests in progress have to finish when the command stops. */
const grace = 2_000;

/**
 * Runs `npx @mgmt/mock`.
 *
 * @throws MockError with a message for the user.
 */
export const run = async (words: readonly string[], host: CommandHost): Promise<void> => {
  const parsed = readArguments(words);
  if (parsed === "help") return host.print(helpText());
  if (parsed === "version") return host.print(`${__MGMT_VERSION__}\n`);
  const controlSecret = secretFor(parsed, host.env);
  let recording: ActiveRecording | undefined;
  let replayed: ReplaySummary | undefined;
  const onOpen = async (engine: CommandServer): Promise<void> => {
    if (parsed.recording) recording = await engine.record({ upstream: parsed.recording.upstream });
    replayed = engine.replayed;
  };
  const server = await start(parsed, controlSecret, onOpen);
  const { engine, baseUrl } = server;
  const ready = {
    event: "ready",
    baseUrl: parsed.baseUrl ?? baseUrl,
    token: await engine.tokens.service(),
    workspaceId: engine.defaults.workspace.id,
    ...(controlSecret !== undefined && { controlSecret }),
    ...(replayed && { replayed }),
  };
  host.print(`${JSON.stringify(ready)}\n`);
  await host.stopped;
  await server.close(grace);
  if (parsed.recording) await recording?.save(parsed.recording.file);
};

/** A server that other machines can reach has a control surface only if its secret was chosen. */
const secretFor = ({ host }: Arguments, env: CommandHost["env"]): string | undefined =>
  env["MGMT_MOCK_CONTROL_SECRET"] ??
  (isLoopbackHost(host) ? randomBytes(24).toString("base64url") : undefined);

const start = async (
  parsed: Arguments,
  controlSecret: string | undefined,
  onOpen: (engine: CommandServer) => Promise<void>,
): Promise<RunningServer> => {
  const { host, port, seed } = parsed;
  const seeds = seed === undefined ? undefined : await readSeedFile(seed);
  try {
    return await createServer({
      host,
      port,
      ...(controlSecret !== undefined && { controlSecret }),
      ...(parsed.baseUrl !== undefined && { allowedHosts: [new URL(parsed.baseUrl).host] }),
      createEngine: async (address) => {
        const engine = await openEngine(parsed, address.baseUrl, seeds);
        await onOpen(engine);
        return engine;
      },
    });
  } catch (error) {
    throw errorCode(error) === "EADDRINUSE" ? mockErrors.portInUse(port, host) : error;
  }
};

const openEngine = async (
  parsed: Arguments,
  address: string,
  seeds: Seeds | undefined,
): Promise<CommandServer> => {
  const { baseUrl = address, deterministic, rateLimit, unknownFields, errorCodes, latency, replay } = parsed;
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
  const initial = seeds && (await initialState(options, parsed.seed ?? "", seeds));
  const engine = new CommandServer({ ...options, ...(initial && { initial }) }, latency ?? 0);
  if (replay) await engine.startWithRecording(replay);
  return engine;
};

/** Returns the state with the seeds, so that a reset restores them. */
const initialState = async (options: EngineOptions, path: string, seeds: Seeds) => {
  if ("snapshot" in seeds) return seeds.snapshot;
  const engine = new MemoryServer(options);
  await applySeeds(engine, path, seeds.entries);
  await engine.stop();
  return engine.snapshot();
};

import { spawn } from "node:child_process";
import { type EngineOptions, type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll } from "vitest";
import { bin } from "./bin.js";
import { cacheDir, noConfigDir } from "./folders.js";
import { inProcess, type Setup } from "./in-process.js";
import { type Mgmt, type Result, resultOf } from "./result.js";

export type { Result } from "./result.js";

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** Working directory. */
  cwd?: string;
  /** Called with the process, to send it signals. */
  onStart?: (child: ReturnType<typeof spawn>) => void;
}

/** Runs the built command in a process of its own, with a clean environment. Call `ensureBuilt` first. */
export const run = (words: readonly string[], options: RunOptions = {}): Promise<Result> =>
  runProgram(process.execPath, [bin, ...words], options);

/** Does the same with any program. */
export const runProgram = async (
  program: string,
  words: readonly string[],
  options: RunOptions = {},
): Promise<Result> => {
  const { env = {}, stdin = "", cwd, onStart } = options;
  const child = spawn(program, words, {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      XDG_CACHE_HOME: cacheDir,
      MGMT_CONFIG_DIR: noConfigDir,
      ...env,
    },
    stdio: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A command that does not read its input may have closed it already.
  child.stdin.on("error", () => undefined).end(stdin);
  onStart?.(child);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return resultOf(status, stdout, stderr);
};

export interface Session {
  server: RunningServer;
  /** Address and token, as environment variables. */
  env: NodeJS.ProcessEnv;
  /** Runs a command line in this process as the owner of the first workspace. */
  mgmt: Mgmt;
  /** Does the same with another token. */
  as(token: string, setup?: Setup): Mgmt;
  close(): Promise<void>;
}

/** Starts a reference server to run commands against. */
export const startSession = async (engineOptions: EngineOptions = {}): Promise<Session> => {
  const { settings, ...rest } = engineOptions;
  const server = await createServer({
    engineOptions: {
      deterministic: "terminal",
      frozen: false,
      validateResponses: true,
      ...rest,
      settings: { lifecycle: { provisioning: 150, recovering: 150 }, ...settings },
    },
  });
  const as = (token: string, { env, ...setup }: Setup = {}): Mgmt =>
    inProcess({ ...setup, env: { MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: token, ...env } });
  const token = await server.engine.tokens.user();
  const env = { MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: token };
  return { server, env, as, mgmt: as(token), close: () => server.close(0) };
};

/** Returns a session that the tests of a file share. Call it outside of tests and hooks. */
export const useSession = (...options: Parameters<typeof startSession>): Session => {
  let current: Session | undefined;
  const now = (): Session => {
    if (!current) throw new Error("There is no session outside of a test");
    return current;
  };
  beforeAll(async () => {
    current = await startSession(...options);
  });
  afterAll(() => current?.close());
  return {
    get server() {
      return now().server;
    },
    get env() {
      return now().env;
    },
    mgmt: (...line) => now().mgmt(...line),
    as: (...credential) => now().as(...credential),
    close: () => now().close(),
  };
};

import { spawn } from "node:child_process";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import type { EngineOptions } from "@mgmt/mock/server";
import { bin, ensureBuilt } from "./bin.js";
import { temporaryFolder } from "./folders.js";

export interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Standard output, read as JSON. */
  readonly json: unknown;
  /** Standard error, read as one JSON object a line. */
  readonly errors: readonly Record<string, unknown>[];
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** Working directory. */
  cwd?: string;
  /** Called with the process, to send it signals. */
  onStart?: (child: ReturnType<typeof spawn>) => void;
}

/** There are no profiles there: those of whoever runs the tests are none of their business. */
export const noConfigDir = temporaryFolder();

/** Runs the built command, with nothing of the environment but what is given. */
export const run = async (words: readonly string[], options: RunOptions = {}): Promise<Result> => {
  const { env = {}, stdin = "", cwd, onStart } = options;
  const child = spawn(process.execPath, [bin, ...words], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], MGMT_CONFIG_DIR: noConfigDir, ...env },
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
  return {
    status,
    stdout,
    stderr,
    get json(): unknown {
      return JSON.parse(stdout);
    },
    get errors() {
      const lines = stderr.trim().split("\n").filter(Boolean);
      // Every line is an object under --output json.
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
};

/** `mgmt projects get ${id}`: words are split at spaces, inserted values stay whole. */
export type Mgmt = (strings: TemplateStringsArray, ...values: readonly string[]) => Promise<Result>;

export const words = (strings: TemplateStringsArray, values: readonly string[]): string[] => {
  // A character that no command line holds stands for "inserted here".
  const mark = (index: number): string => `\u0000${String(index)}\u0000`;
  const text = strings.reduce((left, part, index) => `${left}${mark(index - 1)}${part}`);
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => values[Number(index)] ?? ""));
};

export interface Session {
  server: RunningServer;
  /** As the owner of the first workspace. */
  mgmt: Mgmt;
  env: NodeJS.ProcessEnv;
  /** The same command line as somebody else. */
  as(token: string, options?: RunOptions): Mgmt;
  close(): Promise<void>;
}

/** A terminal with a reference server of its own. */
export const startSession = async (engineOptions: EngineOptions = {}): Promise<Session> => {
  await ensureBuilt();
  const { settings, ...rest } = engineOptions;
  const server = await createServer({
    engineOptions: {
      seed: "terminal",
      frozen: false,
      validateAnswers: true,
      ...rest,
      settings: { lifecycle: { provisioning: 150, recovering: 150 }, ...settings },
    },
  });
  const envWith = (token: string): NodeJS.ProcessEnv => ({
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: token,
  });
  const env = envWith(await server.engine.tokens.user());
  const as =
    (token: string, { env: more, ...options }: RunOptions = {}): Mgmt =>
    (strings, ...values) =>
      run(words(strings, values), { ...options, env: { ...envWith(token), ...more } });
  return { server, env, as, mgmt: as(env["MGMT_TOKEN"] ?? ""), close: () => server.close(0) };
};

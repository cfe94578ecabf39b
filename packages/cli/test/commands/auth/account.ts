import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type EngineOptions, type RunningServer } from "@mgmt/mock/server";
import { afterEach, beforeEach } from "vitest";
import { bin } from "../../bin.js";
import { runInProcess, type Setup } from "../../in-process.js";
import { type Mgmt, type Result, resultOf, words } from "../../result.js";

interface StoredLogin {
  accessToken: string;
  refreshToken?: string;
  expiresAt?: number;
}

/** The content of the profiles file, as far as tests need it. */
export interface StoredProfiles {
  active?: string;
  profiles: Record<string, Record<string, unknown> & { login?: StoredLogin; token?: string }>;
}

/** A reference server, and a user with a folder for profiles. */
export interface Account {
  server: RunningServer;
  env: NodeJS.ProcessEnv;
  /** The profiles file. */
  file: string;
  mgmt: Mgmt;
  run: (words: readonly string[], setup?: Setup) => Promise<Result>;
  /** Reads the profiles file. */
  stored: () => StoredProfiles;
  /** Changes the profiles file. */
  store: (change: (stored: StoredProfiles) => void) => void;
  /** Logs in as the first user by pasting the address that the browser would end up at. */
  login: (...flags: string[]) => Promise<Result>;
  close: () => Promise<void>;
}

export const startAccount = async (engineOptions: EngineOptions = {}): Promise<Account> => {
  const server = await createServer({ controlSecret: "control-secret-of-the-test", engineOptions });
  const folder = mkdtempSync(join(tmpdir(), "mgmt-account-"));
  const env = { MGMT_CONFIG_DIR: folder };
  const file = join(folder, "config.json");
  const runHere = (line: readonly string[], { env: more, ...rest }: Setup = {}): Promise<Result> =>
    runInProcess(line, { ...rest, env: { ...env, ...more } });
  // The tests assert what is in it.
  const stored = (): StoredProfiles =>
    (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { profiles: {} }) as StoredProfiles;
  return {
    server,
    env,
    file,
    mgmt: (strings, ...values) => runHere(words(strings, values)),
    run: runHere,
    stored,
    store(change) {
      const all = stored();
      change(all);
      writeFileSync(file, JSON.stringify(all));
    },
    login: (...flags) =>
      runHere(["login", "--no-browser", "--base-url", server.baseUrl, ...flags], {
        reply: pasting(async (url) => (await server.engine.oauth.consent({ url })).redirect),
      }),
    async close() {
      await server.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Returns an account that is new for each test of a file. Call it outside of tests and hooks. */
export const useAccount = (...options: Parameters<typeof startAccount>): Account => {
  let current: Account | undefined;
  const now = (): Account => {
    if (!current) throw new Error("There is no account outside of a test");
    return current;
  };
  beforeEach(async () => {
    current = await startAccount(...options);
  });
  afterEach(() => current?.close());
  return {
    get server() {
      return now().server;
    },
    get env() {
      return now().env;
    },
    get file() {
      return now().file;
    },
    mgmt: (...line) => now().mgmt(...line),
    run: (...line) => now().run(...line),
    stored: () => now().stored(),
    store: (change) => now().store(change),
    login: (...flags) => now().login(...flags),
    close: () => now().close(),
  };
};

/** Returns a `reply` that pastes the result of `answer` for the URL that a login prints. */
export const pasting =
  (answer: (url: string) => string | Promise<string>): NonNullable<Setup["reply"]> =>
  async (stderr) => {
    const url = loginUrlIn(stderr);
    return url === undefined ? undefined : `${await answer(url)}\n`;
  };

const loginUrlIn = (stderr: string): string | undefined =>
  /(http[^\s"\\]+\/authorize[^\s"\\]+)[\s"\\]/.exec(stderr)?.[1];

/** Runs a login in a separate process, and types the result of `answer` for the URL that it prints. */
export const converse = async (
  line: readonly string[],
  env: NodeJS.ProcessEnv,
  answer: (url: string, child: ChildProcess) => string | Promise<string>,
): Promise<Result> => {
  const child = spawn(process.execPath, [bin, ...line], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: "pipe",
  });
  let [stdout, stderr, hasAnswered] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", async (text: string) => {
    stderr += text;
    const url = loginUrlIn(stderr);
    if (url === undefined || hasAnswered) return;
    hasAnswered = true;
    child.stdin.end(`${await answer(url, child)}\n`);
  });
  child.stdin.on("error", () => undefined);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return resultOf(status, stdout, stderr);
};

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type EngineOptions, type RunningServer } from "@mgmt/mock/server";
import { bin, ensureBuilt } from "../bin.js";
import { type Result, run, type RunOptions, words } from "../terminal.js";

interface KeptLogin {
  accessToken: string;
  refreshToken?: string;
  expiresAt?: number;
}

/** The file, as far as tests look at it. */
export interface Kept {
  active?: string;
  profiles: Record<string, Record<string, unknown> & { login?: KeptLogin; token?: string }>;
}

/** A reference server, and a user's own folder for profiles. */
export interface Account {
  server: RunningServer;
  env: NodeJS.ProcessEnv;
  /** The file that everything is kept in. */
  file: string;
  mgmt: (strings: TemplateStringsArray, ...values: readonly string[]) => Promise<Result>;
  run: (words: readonly string[], options?: RunOptions) => Promise<Result>;
  kept: () => Kept;
  keep: (change: (kept: Kept) => void) => void;
  /** Logs in as the first user by pasting what the browser would be sent to. */
  login: (...flags: string[]) => Promise<Result>;
  close: () => Promise<void>;
}

export const startAccount = async (engineOptions: EngineOptions = {}): Promise<Account> => {
  await ensureBuilt();
  const server = await createServer({
    controlSecret: "control-secret-of-the-test",
    engineOptions,
  });
  const folder = mkdtempSync(join(tmpdir(), "mgmt-account-"));
  const env = { MGMT_CONFIG_DIR: folder };
  const file = join(folder, "config.json");
  const here = (line: readonly string[], { env: more, ...rest }: RunOptions = {}): Promise<Result> =>
    run(line, { ...rest, env: { ...env, ...more } });
  // The tests below assert what is in it.
  const kept = (): Kept =>
    (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { profiles: {} }) as Kept;
  return {
    server,
    env,
    file,
    mgmt: (strings, ...values) => here(words(strings, values)),
    run: here,
    kept,
    keep(change) {
      const all = kept();
      change(all);
      writeFileSync(file, JSON.stringify(all));
    },
    login: (...flags) =>
      converse(["login", "--no-browser", "--base-url", server.baseUrl, ...flags], env, async (url) => {
        const { redirect } = await server.engine.oauth.consent({ url });
        return redirect;
      }),
    async close() {
      await server.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Runs a login, and types what `answer` makes of the address that it prints. */
export const converse = async (
  line: readonly string[],
  env: NodeJS.ProcessEnv,
  answer: (url: string, child: ChildProcess) => string | Promise<string>,
): Promise<Result> => {
  const child = spawn(process.execPath, [bin, ...line], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: "pipe",
  });
  let [stdout, stderr, answered] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", async (text: string) => {
    stderr += text;
    const [, url] = /(http[^\s"\\]+\/authorize[^\s"\\]+)[\s"\\]/.exec(stderr) ?? [];
    if (url === undefined || answered) return;
    answered = true;
    child.stdin.end(`${await answer(url, child)}\n`);
  });
  child.stdin.on("error", () => undefined);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const errors = (): Record<string, unknown>[] =>
    // Every line is an object under --output json.
    stderr
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((each) => JSON.parse(each) as Record<string, unknown>);
  return {
    status,
    stdout,
    stderr,
    get json(): unknown {
      return JSON.parse(stdout);
    },
    get errors() {
      return errors();
    },
  };
};

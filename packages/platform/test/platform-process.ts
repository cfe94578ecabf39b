import { type ChildProcess, spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { chooseEphemeralParent } from "../src/machine/data-dir/directories.js";
import type { PlatformOptions, Ready } from "../src/index.js";
import type { SystemAccount } from "../src/machine/data-dir/postgres-account.js";
import { findPrograms, temporaryDirectory } from "./cluster.js";
import { commandLine, descendantsOf, killAll } from "./processes.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The bundled programs, by their names. Files that run in the same process share them. */
const bundles = new Map<string, Promise<Uint8Array>>();

/**
 * Bundles a program of the tests, so that it starts quickly and every user can run it.
 *
 * @param name its path in this directory, without its ending.
 */
export const bundleProgram = async (directory: string, name = "run-platform"): Promise<string> => {
  const bundled = bundles.get(name) ?? bundle(name);
  bundles.set(name, bundled);
  const outfile = join(directory, `${basename(name)}.mjs`);
  await writeFile(outfile, await bundled);
  return outfile;
};

const bundle = async (name: string): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    entryPoints: [source(`${name}.ts`)],
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: {
      "@mgmt/engine": source("../../engine/src/index.ts"),
      "@mgmt/engine/http": source("../../engine/src/http.ts"),
      "@mgmt/engine/internal": source("../../engine/src/internal.ts"),
    },
    external: ["pg-native"],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`${name} was not bundled`);
  return file.contents;
};

/** A platform in its own process. */
export class PlatformProcess {
  readonly ready: Ready;
  readonly #child: ChildProcess;

  private constructor(ready: Ready, child: ChildProcess) {
    this.ready = ready;
    this.#child = child;
  }

  /**
   * Starts the process and waits for its ready line.
   *
   * @throws the error that the platform reports when it does not start.
   */
  static async start(
    program: string,
    options: PlatformOptions,
    {
      account,
      environment,
      maxFiles,
    }: { account?: SystemAccount | undefined; environment?: Record<string, string>; maxFiles?: number } = {},
  ): Promise<PlatformProcess> {
    const { binaries } = await findPrograms();
    const limit = maxFiles === undefined ? "" : `ulimit -n ${String(maxFiles)}; `;
    const command = [process.execPath, program, JSON.stringify(options)];
    const child = spawn("sh", ["-c", `${limit}exec "$@"`, "sh", ...command], {
      ...account,
      cwd: "/",
      env: {
        ...process.env,
        // The bundle cannot resolve the npm package of Postgres.
        MGMT_POSTGRES: binaries.directory,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    const line = await new Promise<string>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => resolve((output += text)));
      child.on("close", () => resolve(output));
    });
    const parsed = line.startsWith("{") ? JSON.parse(line) : { code: line };
    if ("baseUrl" in parsed) return new PlatformProcess(parsed, child);
    throw Object.assign(new Error(parsed.message ?? line), { code: parsed.code });
  }

  /** Sends the signal and returns the exit status, or the signal that ended the process. */
  async end(signal: NodeJS.Signals): Promise<number | string | null> {
    const ended = new Promise<number | string | null>((resolve) =>
      this.#child.once("exit", (status, endedBy) => resolve(endedBy ?? status)),
    );
    this.#child.kill(signal);
    return ended;
  }

  /** Kills the platform and its child processes if it has not ended. */
  kill(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    killAll([this.ready.pid, ...this.descendants()]);
  }

  /** Returns all child processes of the platform, including indirect ones. */
  descendants(): number[] {
    return descendantsOf(this.ready.pid);
  }

  watchdog(): number {
    const pid = this.descendants().find((each) => commandLine(each).includes("mgmt-watchdog"));
    if (pid === undefined) throw new Error("The watchdog is not running");
    return pid;
  }
}

/** The platforms of a test file, in processes of their own, and a directory for their data. Both end with the file. */
export class Platforms {
  readonly #started: PlatformProcess[] = [];
  #directory = "";
  #program = "";

  constructor() {
    beforeAll(async () => {
      this.#directory = await temporaryDirectory(await chooseEphemeralParent());
      this.#program = await bundleProgram(this.#directory);
    });
    afterAll(async () => {
      // A test that fails leaves its platforms. Tests may run at the same time, so no earlier moment is safe.
      for (const platform of this.#started) platform.kill();
      await rm(this.#directory, { recursive: true, force: true });
    });
  }

  get directory(): string {
    return this.#directory;
  }

  async start(
    options: Partial<PlatformOptions>,
    context?: Parameters<typeof PlatformProcess.start>[2],
  ): Promise<PlatformProcess> {
    const platform = await PlatformProcess.start(this.#program, { port: 0, ...options }, context);
    this.#started.push(platform);
    return platform;
  }
}

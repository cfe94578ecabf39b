import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import { root } from "../../scripts/generate/contract/contract.js";
import { translationFor } from "./managers.js";
import { type Step, readPage } from "./page.js";
import type { Toolchain } from "./toolchain.js";

/** A command that failed, with what it printed. */
class CommandFailure extends Error {}

/** The port that pages name. */
const namedPort = "4300";

/** Whether the programs of a page have ports of their own, besides those that the page names. */
export const hasOwnPorts = (page: string): boolean => page.startsWith("examples/");

/** Minutes after which a command that has not ended never will. */
const longest = 10;

/** Returns a port that no program of this machine uses. */
const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
};

/** Returns a step with a port in place of the one that pages name, and that `mgmt dev` uses by default. */
export const onPort = (step: Step, port: string): Step => {
  const moved: Step = JSON.parse(JSON.stringify(step).replaceAll(namedPort, port));
  if (moved.do !== "serve" || !/mgmt(?:\/cli)? dev(?!.*--port)/.test(moved.command)) return moved;
  return { ...moved, command: `${moved.command} --port ${port}` };
};

const trimLines = (text: string): string => text.trim().replaceAll(/[ \t]*\n[ \t]*/g, "\n");

/** Returns whether lines are among those that were printed. `…` stands for anything, and indentation does not matter. */
export const isPrinted = (output: string, lines: string): boolean => {
  const parts = trimLines(lines).split("…");
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".*");
  return new RegExp(`^${pattern}$`, "m").test(trimLines(output));
};

const isListening = ({ hostname: host, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** Ends every process that was started with this home directory. */
const endProcessesOf = async (home: string): Promise<void> => {
  for (const signal of ["SIGTERM", "SIGTERM", "SIGKILL"] as const) {
    const pids = readdirSync("/proc").filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
      } catch {
        return false; // It is no process, has ended, or is another user's.
      }
    });
    for (const pid of pids) {
      try {
        process.kill(Number(pid), signal);
      } catch {
        // It has ended.
      }
    }
    for (let waits = 0; waits < 50 && pids.some((pid) => existsSync(`/proc/${pid}`)); waits += 1)
      await sleep(100);
  }
};

/** Returns the names of the packages that the `package.json` of a folder declares. */
const dependenciesIn = (folder: string): string[] => {
  const file = join(folder, "package.json");
  const manifest: Record<string, object | undefined> = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  return ["dependencies", "devDependencies"].flatMap((field) => Object.keys(manifest[field] ?? {}));
};

/** A reader who has nothing but a page: an empty folder, an empty home directory, and terminals. */
class Reader {
  #folder: string;
  readonly #scripts: string;
  #written = 0;
  #output = "";

  constructor(
    place: string,
    private readonly toolchain: Toolchain,
    private readonly env: NodeJS.ProcessEnv,
    private readonly port: string,
  ) {
    this.#folder = join(place, "project");
    this.#scripts = join(place, "scripts");
  }

  /** Where the terminal is: pages may change the folder. */
  get folder(): string {
    const file = join(this.#scripts, "folder");
    return existsSync(file) ? readFileSync(file, "utf8").trim() : this.#folder;
  }

  #openTerminal(): void {
    for (const file of ["folder", "variables"]) rmSync(join(this.#scripts, file), { force: true });
  }

  async do(named: Step): Promise<void> {
    const step = onPort(named, this.port);
    switch (step.do) {
      case "clone": {
        this.#openTerminal();
        this.#folder = join(dirname(this.#folder), "mgmt");
        const words = ["clone", "--quiet", "--depth", "1", `file://${root}`, this.#folder];
        await promisify(execFile)("git", words);
        return;
      }
      case "copy": {
        const generated = /(?:^|\/)(?:node_modules|dist|\.next|\.env.*|next-env\.d\.ts|package-lock\.json)$/;
        const filter = (path: string): boolean => !generated.test(path);
        await cp(join(root, step.folder), this.#folder, { recursive: true, filter });
        return;
      }
      case "save": {
        const file = join(this.folder, step.file);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, step.text);
        return;
      }
      case "serve":
        this.#output = await this.#run(step.command, true);
        // The program occupies the terminal, so that the reader opens another one for what follows.
        this.#openTerminal();
        return;
      case "run": {
        const { command, remedy } = step;
        const { program = "npm" } = this.toolchain.manager.words ?? {};
        this.#output = await this.#run(
          remedy?.startsWith(`${program} `) ? `${command} || ${remedy}` : command,
        );
        return;
      }
      case "expect":
        if (!isPrinted(this.#output, step.output))
          throw new CommandFailure(
            `The page says that this is printed:\n${step.output}but it is:\n${this.#output}`,
          );
    }
  }

  /**
   * Runs commands in the terminal, whose folder and variables stay from one to the next. Returns what they printed.
   * @param isServing whether they keep running, and only have to accept connections at the address that they print
   */
  async #run(commands: string, isServing = false): Promise<string> {
    this.#written += 1;
    const file = (name: string): string => join(this.#scripts, name);
    const script = file(`${String(this.#written)}.sh`);
    writeFileSync(
      script,
      `[ ! -e '${file("variables")}' ] || . '${file("variables")}' 2>/dev/null
${translationFor(this.toolchain.manager)}
set -eo pipefail
${commands}
pwd >'${file("folder")}'
declare -p | grep -v '^declare -[^ ]*r' >'${file("variables")}'
`,
    );
    // Unlike a pipe, the file has all that was printed as soon as a command has ended.
    const output = openSync(`${script}.txt`, "a");
    const stdio = ["ignore" as const, output, output];
    const options = { cwd: this.folder, env: this.env, stdio, detached: true };
    const shell = spawn("bash", ["--noprofile", "--norc", script], options);
    closeSync(output);
    const readOutput = (): string => stripVTControlCharacters(readFileSync(`${script}.txt`, "utf8"));
    const fail = (what: string): never => {
      throw new CommandFailure(
        `${commands}\n${what}:\n${readOutput().trim().split("\n").slice(-25).join("\n")}`,
      );
    };
    for (const until = Date.now() + longest * 60_000; Date.now() < until; await sleep(50)) {
      const [url] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(readOutput()) ?? [];
      if (isServing && url !== undefined && (await isListening(new URL(url)))) return readOutput();
      if (shell.exitCode === null && shell.signalCode === null) continue;
      if (isServing) fail("It ends instead of running");
      return shell.exitCode === 0 ? readOutput() : fail("It fails");
    }
    return fail(isServing ? "It does not listen" : `It has not ended after ${String(longest)} minutes`);
  }
}

/** The home directories of those who follow a page at this moment. */
const homes = new Set<string>();

/** Ends everything that was started, when the run is interrupted. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...homes].map(endProcessesOf));
};

/**
 * Follows a page in a new folder below the given one. Returns its faults.
 * @param registries the addresses of the registry that has the packages of this repository, and of the one that has all others
 */
export const followPage = async (
  name: string,
  toolchain: Toolchain,
  registries: { own: string; others: string },
  folder: string,
): Promise<string[]> => {
  // Short, because the paths of sockets are limited.
  const place = await mkdtemp(join(folder, "r-"));
  for (const part of ["home", "project", "scripts", "tmp"]) await mkdir(join(place, part));
  const home = join(place, "home");
  const { own, others } = registries;
  await writeFile(join(home, ".npmrc"), `registry=${others}\n@mgmt:registry=${own}\n`);
  const yarn = { npmRegistryServer: others, npmScopes: { mgmt: { npmRegistryServer: own } } };
  const yarnSettings = { ...yarn, unsafeHttpWhitelist: ["127.0.0.1"], enableTelemetry: false };
  await writeFile(join(home, ".yarnrc.yml"), JSON.stringify(yarnSettings));
  for (const [file, text] of Object.entries(toolchain.manager.files ?? {}))
    await writeFile(join(place, "project", file), text);
  const globals = ["bin", "pnpm", "pnpm/bin", ".bun/bin"].map((path) => join(home, path));
  const system = (process.env["PATH"] ?? "").split(":").filter((path) => !path.includes("node_modules"));
  const inherited = Object.entries(process.env).filter(([variable]) =>
    /^(?:NODE_EXTRA_CA_CERTS|SSL_\w+|LANG|TERM)$/.test(variable),
  );
  const env = {
    ...Object.fromEntries(inherited),
    ...{ HOME: home, PATH: [toolchain.bin, ...globals, ...system].join(":"), TMPDIR: join(place, "tmp") },
    ...{ PNPM_HOME: join(home, "pnpm"), NEXT_TELEMETRY_DISABLED: "1", npm_config_prefix: home },
    // npx must not install what the page does not: in a terminal, it asks.
    npm_config_yes: "false",
    // Readers have packages in the cache of npm, too, from other projects.
    npm_config_cache: join(folder, "npm-cache"),
  };
  const { steps, faults: known, imports } = readPage(name);
  const faults = [...known];
  const reader = new Reader(place, toolchain, env, hasOwnPorts(name) ? namedPort : await freePort());
  homes.add(home);
  try {
    for (const step of steps) {
      try {
        await reader.do(step);
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        // What follows needs what failed.
        return [...faults, `${step.where}: ${error.message.trimEnd().replaceAll("\n", "\n      ")}`];
      }
    }
    const dependencies = dependenciesIn(reader.folder);
    for (const { where, name: imported } of imports) {
      // A clone installs the packages of this repository.
      if (!dependencies.includes(imported) && steps.every((step) => step.do !== "clone"))
        faults.push(`${where}: The page does not install ${imported}.`);
    }
    return [...new Set(faults)];
  } finally {
    await endProcessesOf(home);
    homes.delete(home);
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
};

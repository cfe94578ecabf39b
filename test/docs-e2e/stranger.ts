import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/generate/contract/contract.js";
import { dependenciesIn, versionsIn } from "./installed.js";
import type { Journey } from "./journey.js";
import { translationFor } from "./managers.js";
import { type Page, type Step, readPage } from "./page.js";
import { onPort, waitForPorts } from "./ports.js";
import { isPrinted } from "./printed.js";
import { endProcessesOf } from "./processes.js";
import type { Registry } from "./registry.js";
import { CommandFailure, Terminal } from "./terminal.js";
import type { Toolchain } from "./toolchain.js";

export interface Outcome {
  faults: string[];
  /** Installed versions by package. */
  versions: Record<string, string>;
  milliseconds: number;
}

/** A reader who follows a page from top to bottom, in a new folder and with a home directory of their own. */
class Stranger {
  #folder: string;
  readonly #place: string;
  readonly #scripts: string;
  #env: NodeJS.ProcessEnv;
  readonly #toolchain: Toolchain;
  readonly #registry: Registry;
  readonly #functions: string;
  readonly #port: number | undefined;
  readonly #serving: Terminal[] = [];
  #terminal: Terminal | undefined;
  #printed = "";
  #release: (() => void) | undefined;

  /** @param port Replaces the port that pages name. */
  constructor(place: string, toolchain: Toolchain, registry: Registry, port: number | undefined) {
    this.#place = place;
    this.#toolchain = toolchain;
    this.#registry = registry;
    this.#port = port;
    this.#folder = join(place, "project");
    this.#scripts = join(place, "scripts");
    const home = join(place, "home");
    const path = (process.env["PATH"] ?? "").split(":").filter((each) => !each.includes("node_modules"));
    const globals = ["bin", "pnpm", "pnpm/bin", ".bun/bin"].map((each) => join(home, each));
    const { CI: _, ...own } = Object.fromEntries(
      Object.entries(process.env).filter(([name]) =>
        /^(?:NODE_EXTRA_CA_CERTS|SSL_\w+|LANG|TERM)$/.test(name),
      ),
    );
    this.#env = {
      ...own,
      ...toolchain.manager.environment,
      ...{ HOME: home, PATH: [toolchain.bin, ...globals, ...path].join(":"), TMPDIR: join(place, "tmp") },
      ...{ PNPM_HOME: join(home, "pnpm"), NEXT_TELEMETRY_DISABLED: "1", npm_config_prefix: home },
      // npx must not install what the page does not: in a terminal, it asks.
      npm_config_yes: "false",
      // Readers have packages in the cache of npm, too, from other projects.
      npm_config_cache: join(dirname(place), "npm-cache"),
      // Yarn 2 and newer read no .npmrc.
      ...{ YARN_NPM_REGISTRY_SERVER: registry.url, YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1" },
      ...{ YARN_ENABLE_TELEMETRY: "0" },
    };
    this.#functions = translationFor(toolchain.manager);
  }

  /** Where the reader is: pages may change the folder. */
  get folder(): string {
    return this.#terminal?.folder ?? this.#folder;
  }

  #open(): Terminal {
    return new Terminal(this.#folder, this.#env, this.#scripts, this.#functions);
  }

  async do(named: Step): Promise<void> {
    const step = this.#port === undefined ? named : onPort(named, this.#port);
    switch (step.do) {
      case "clone":
        this.#folder = join(this.#place, "mgmt");
        await this.#terminal?.close();
        this.#terminal = undefined;
        await promisify(execFile)("git", [
          "clone",
          "--quiet",
          "--depth",
          "1",
          `file://${root}`,
          this.#folder,
        ]);
        return;
      case "copy": {
        const made = /(?:^|\/)(?:node_modules|dist|\.next|\.env.*|next-env\.d\.ts|package-lock\.json)$/;
        const from = join(root, step.folder);
        await cp(from, this.#folder, { recursive: true, filter: (each) => !made.test(each) });
        return;
      }
      case "save": {
        const file = join(this.folder, step.file);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, step.text);
        return;
      }
      case "serve":
        await this.#serve(step.command);
        return;
      case "export-what-it-prints": {
        const lines = this.#serving.at(-1)?.output.match(/^\s*export .*$/gm) ?? [];
        if (lines.length !== 2)
          throw new CommandFailure(`${String(lines.length)} export commands are printed`);
        await this.#run(lines.join("\n"));
        return;
      }
      case "run": {
        const { command, remedy } = step;
        const [manager = ""] = this.#toolchain.manager.name.split("-");
        await this.#run(remedy?.startsWith(`${manager} `) ? `${command} || ${remedy}` : command);
        return;
      }
      case "expect":
        if (!isPrinted(this.#printed, step.output))
          throw new CommandFailure(
            `The page says that this is printed:\n${step.output}but it is:\n${this.#printed}`,
          );
    }
  }

  async #run(commands: string): Promise<void> {
    this.#terminal ??= this.#open();
    this.#printed = await this.#terminal.run(commands);
  }

  /** The program occupies the current terminal, so that the reader opens another one for what follows. */
  async #serve(command: string): Promise<void> {
    const ports = [...command.matchAll(/\b\d{4}\b/g)].map(Number);
    if (this.#port === undefined) this.#release ??= await waitForPorts(ports);
    const terminal = this.#terminal ?? this.#open();
    this.#terminal = undefined;
    this.#serving.push(terminal);
    this.#printed = await terminal.serve(command);
  }

  /** Returns another reader, who has done the same, in a copy of the folder, and with the variables of the terminal. */
  async copy(): Promise<Stranger> {
    const variables = join(this.#scripts, "variables");
    await this.#run(`env -0 >'${variables}'`);
    const copy = new Stranger(this.#place, this.#toolchain, this.#registry, this.#port);
    copy.#env = Object.fromEntries(
      readFileSync(variables, "utf8")
        .split("\0")
        .filter((line) => line.includes("="))
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    copy.#folder = await mkdtemp(join(this.#place, "c-"));
    await promisify(execFile)("cp", ["-a", `${this.folder}/.`, copy.#folder]);
    // The ports that are this reader's stay so as long as the copy needs them.
    if (this.#release) copy.#release = () => undefined;
    return copy;
  }

  async #closeTerminals(): Promise<void> {
    await this.#terminal?.close();
    // The services that were started last use the earlier ones.
    for (const terminal of this.#serving.reverse()) await terminal.close();
  }

  /** Ends what a copy has started, and nothing of the reader who was copied. */
  async leaveCopy(): Promise<void> {
    await this.#closeTerminals();
    this.#release?.();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async leave(): Promise<void> {
    await this.#closeTerminals();
    await endProcessesOf(this.#env["HOME"] ?? "");
    this.#release?.();
  }
}

/** The readers who follow a page at this moment. */
const strangers = new Set<Stranger>();

/** Ends everything that was started, when the run is interrupted. */
export const leaveAll = async (): Promise<void> => {
  await Promise.all([...strangers].map((stranger) => stranger.leave()));
};

const prepare = async (place: string, toolchain: Toolchain, registry: Registry): Promise<void> => {
  for (const name of ["home", "project", "scripts", "tmp"]) await mkdir(join(place, name));
  await writeFile(join(place, "home/.npmrc"), `registry=${registry.url}\n`);
  for (const [name, text] of Object.entries(toolchain.manager.files ?? {}))
    await writeFile(join(place, "project", name), text);
};

const indented = (text: string): string => text.trimEnd().replaceAll("\n", "\n      ");

/** Follows the steps that are a page's own, where the reader has already followed the pages before it. */
const follow = async (stranger: Stranger, { steps, own, faults, imports }: Page): Promise<Outcome> => {
  const started = Date.now();
  const found = faults.map(({ where, message }) => `${where}: ${message}`);
  const outcome = (): Outcome => ({
    faults: [...new Set(found)],
    versions: versionsIn(stranger.folder),
    milliseconds: Date.now() - started,
  });
  for (const step of own) {
    try {
      await stranger.do(step);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const tried = step.do === "run" || step.do === "serve" ? `${step.command}\n` : "";
      found.push(`${step.where}: ${indented(`${tried}${error.message}`)}`);
      // What follows needs what failed.
      return outcome();
    }
  }
  const dependencies = dependenciesIn(stranger.folder);
  const unknown = imports.filter(({ name }) => !dependencies.has(name));
  // A clone installs the packages of this repository.
  if (steps.every((step) => step.do !== "clone"))
    for (const { where, name } of unknown) found.push(`${where}: The page does not install ${name}.`);
  return outcome();
};

type Report = (page: string, outcome: Outcome) => void;

/** Reports that the chosen pages which continue a page fail, because it does. */
const abandon = ({ page, next }: Journey, faults: readonly string[], report: Report): void => {
  for (const each of next) {
    const because = [`It continues ${page}, which fails.`, ...faults];
    if (each.isChosen) report(each.page, { faults: because, versions: {}, milliseconds: 0 });
    abandon(each, faults, report);
  }
};

const travel = async (stranger: Stranger, journey: Journey, report: Report): Promise<void> => {
  const { page, isChosen, next } = journey;
  const outcome = await follow(stranger, readPage(page));
  if (isChosen) report(page, outcome);
  if (outcome.faults.length > 0) {
    abandon(journey, isChosen ? [] : outcome.faults, report);
    return;
  }
  for (const each of next) {
    const copy = await stranger.copy();
    try {
      await travel(copy, each, report);
    } finally {
      await copy.leaveCopy();
    }
  }
};

/**
 * Follows a page, in a folder of its own below the given one, and then pages that continue it, each in a copy of the folder and with the
 * service that the page has started.
 * @param port Replaces the port that pages name.
 */
export const followJourney = async (
  journey: Journey,
  toolchain: Toolchain,
  registry: Registry,
  folder: string,
  report: Report,
  port?: number,
): Promise<void> => {
  // Short, because the paths of sockets are limited.
  const place = await mkdtemp(join(folder, "r-"));
  await prepare(place, toolchain, registry);
  const stranger = new Stranger(place, toolchain, registry, port);
  strangers.add(stranger);
  try {
    await travel(stranger, journey, report);
  } finally {
    await stranger.leave();
    strangers.delete(stranger);
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
};

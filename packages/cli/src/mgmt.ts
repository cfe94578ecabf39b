#!/usr/bin/env node
import { fstatSync, writeSync } from "node:fs";
import { join } from "node:path";
import { engines, version } from "../package.json";
import type { SelfCommand } from "./input/context.js";
import { renderLastResort } from "./errors/last-resort.js";
import { enableCodeCaching } from "./system/enable-code-caching.js";
import { computeHelpWidth, processStreams, writeTextSync } from "./output/streams.js";
import { isStandalone } from "./system/standalone.js";

/** The text of `mgmt --help`, which the build generates; undefined while it does. */
declare const __MGMT_OVERVIEW__: Overview | undefined;

interface Overview {
  /** For 80 columns. */
  readonly wrapped: string;
  /** For terminals that are wide enough for every line. */
  readonly unwrapped: string;
}

const args = process.argv.slice(2);

/** Other runtimes do not compile with V8, or differ in its interface. */
const isNode = !("bun" in process.versions || "deno" in process.versions);

/** Returns the text of the commands that every start prints alike. */
const findFixedText = (): string | undefined => {
  if (args.length > 1) return undefined;
  switch (args[0]) {
    case "--version":
    case "-V":
    case "version":
      return version;
    case undefined:
    case "--help":
    case "-h":
      return __MGMT_OVERVIEW__ && chooseOverview(__MGMT_OVERVIEW__, measureHelpWidth());
    default:
      return undefined;
  }
};

const chooseOverview = ({ wrapped, unwrapped }: Overview, width: number): string | undefined => {
  if (width === 80) return wrapped;
  return unwrapped.split("\n").every((line) => line.length <= width) ? unwrapped : undefined;
};

const measureHelpWidth = (): number => {
  const outputStats = fstatSync(1);
  // The stream is opened only for a terminal, because that takes time.
  return outputStats.isFIFO() || outputStats.isFile() ? 80 : computeHelpWidth(processStreams.stdout);
};

/** Returns a sentence for versions of Node.js that cannot run the command, which would otherwise fail with a stack trace. */
const describeNodeProblem = (): string | undefined => {
  const requiredVersion = engines.node.replace(/^>=/, "");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = requiredVersion.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `error: mgmt needs Node.js ${requiredVersion} or newer, but runs on Node.js ${process.versions.node}.\n`;
};

/** Returns the words that start this command again. */
const findSelfCommand = (): SelfCommand | undefined => {
  const { execPath, argv } = process;
  if (isStandalone()) return [execPath];
  return argv[1] === undefined ? undefined : [execPath, argv[1]];
};

/** Loads the rest of the program, which the build writes from `main.ts`. */
const loadMain = async (): Promise<typeof import("./main.js")> => {
  if (isStandalone()) {
    enableCodeCaching(process.env);
    const { requireEmbedded } = await import("./system/embedded-modules.js");
    return requireEmbedded("main.js", require) as typeof import("./main.js");
  }
  const folder = isNode ? enableCodeCaching(process.env) : undefined;
  if (folder === undefined) return import("./main.js");
  const { CodeCache, createCacheName } = await import("./system/code-cache.js");
  const cache = new CodeCache(__dirname, join(folder, createCacheName(__dirname, version)), require);
  process.once("exit", () => cache.store());
  return cache.load("main.js") as typeof import("./main.js");
};

const nodeProblem = describeNodeProblem();
const fixedText = findFixedText();
if (nodeProblem !== undefined) {
  process.stderr.write(nodeProblem);
  process.exitCode = 1;
} else if (fixedText !== undefined) {
  writeTextSync(fixedText);
} else {
  // Loaded here, so that a fixed text does not load the rest of the program.
  void loadMain()
    .then(({ main }) =>
      main(args, version, {
        env: process.env,
        selfCommand: findSelfCommand(),
        cwd: () => process.cwd(),
        exit: (code) => process.exit(code),
        on: (signal, listener) => process.on(signal, listener),
        get stdin() {
          return processStreams.stdin;
        },
        get stdout() {
          return processStreams.stdout;
        },
        get stderr() {
          return processStreams.stderr;
        },
      }),
    )
    .catch((error: unknown) => {
      // The stream may need a file of its own.
      writeSync(2, renderLastResort(error, args));
      return 1;
    })
    .then((code) => (process.exitCode = code));
}

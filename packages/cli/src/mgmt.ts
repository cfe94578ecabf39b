#!/usr/bin/env node
import { fstatSync } from "node:fs";
import { version } from "../package.json";
import { helpWidthOf, processStreams, writeTextAtOnce } from "./output/streams.js";

/** The text of `mgmt --help`, which the build generates; undefined while it does. */
declare const __MGMT_OVERVIEW__: Overview | undefined;

interface Overview {
  /** For 80 columns. */
  readonly wrapped: string;
  /** For terminals that are wide enough for every line. */
  readonly unwrapped: string;
}

const args = process.argv.slice(2);

/** Returns the text of the commands that every start prints alike. */
const fixedText = (): string | undefined => {
  if (args.length > 1) return undefined;
  switch (args[0]) {
    case "--version":
    case "-V":
      return version;
    case undefined:
    case "--help":
    case "-h":
      return __MGMT_OVERVIEW__ && overviewFor(__MGMT_OVERVIEW__, helpWidth());
    default:
      return undefined;
  }
};

const overviewFor = ({ wrapped, unwrapped }: Overview, width: number): string | undefined => {
  if (width === 80) return wrapped;
  return unwrapped.split("\n").every((line) => line.length <= width) ? unwrapped : undefined;
};

const helpWidth = (): number => {
  const stat = fstatSync(1);
  // Only a terminal needs the stream, which takes time to open.
  return stat.isFIFO() || stat.isFile() ? 80 : helpWidthOf(processStreams.stdout);
};

const text = fixedText();
if (text !== undefined) {
  writeTextAtOnce(text);
} else {
  // Loaded here, so that a fixed text does not load the rest of the program.
  void import("./main.js")
    .then(({ main }) =>
      main(args, version, {
        env: process.env,
        cwd: () => process.cwd(),
        exit: (code) => process.exit(code),
        once: (signal, listener) => process.once(signal, listener),
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
    .then((code) => (process.exitCode = code));
}

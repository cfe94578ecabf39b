#!/usr/bin/env node
import { version } from "../package.json";
import { exitOnBrokenStreams, writeText } from "./output/streams.js";

exitOnBrokenStreams();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  writeText(version);
} else {
  // Loaded here, so that `--version` does not load the rest of the program.
  const { main } = await import("./main.js");
  process.exitCode = await main(args, version);
}

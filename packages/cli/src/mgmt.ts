#!/usr/bin/env node
import { version } from "../package.json";
import { endOnBrokenStreams, writeText } from "./output/streams.js";

endOnBrokenStreams();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  writeText(version);
} else {
  // Only now the rest of the program is loaded.
  const { main } = await import("./main.js");
  process.exitCode = await main(args, version);
}

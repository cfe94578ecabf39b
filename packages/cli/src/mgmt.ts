#!/usr/bin/env node
import { endQuietlyOnClosedPipe, Output } from "./output/output.js";
import { version } from "./version.js";

endQuietlyOnClosedPipe();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  new Output("table").text(version);
} else {
  // Only now the rest of the program is loaded.
  const { main } = await import("./main.js");
  process.exitCode = await main(args);
}

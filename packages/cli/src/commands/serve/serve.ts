import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags } from "../../platform/serve-options.js";

export const serveCommand: HandwrittenCommand = {
  commandPath: "serve",
  helpGroup: "machine",
  order: 25,
  summary: "Run the service for a team, on a Postgres server",
  description:
    "Runs the Management API over a Postgres server, 14 or newer, that somebody else operates. Any number of processes can run over the " +
    "same one. mgmt serve check says what they need, and mgmt serve init prepares it.\n\n" +
    "The addresses of databases contain passwords, so they have no flags: set MGMT_SERVE_DATABASE_URL, or write them into the file " +
    "of --config. A flag overrides a variable, which overrides the file.\n\n" +
    "The log is on standard output: lines of JSON, the one with the message ready when requests are accepted. Unless that is a terminal, " +
    "errors are lines of JSON too. SIGTERM, SIGINT and SIGHUP finish the requests in progress, and then the exit code is 0. A second signal " +
    "ends the process at once.",
  examples: [
    "mgmt serve --config serve.yaml",
    "mgmt serve --config serve.yaml --listen 0.0.0.0:4300 --base-url https://api.example.com",
  ],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command
      .option(
        "--listen <host:port>",
        "where to listen (or MGMT_SERVE_LISTEN; default: 127.0.0.1:4300); the port 0 is any free one",
      )
      .option(
        "--admin-listen <host:port>",
        "where /metrics, /healthz and /readyz are (or MGMT_SERVE_ADMIN_LISTEN; default: the last two with the API)",
      );
    command.action(async () => {
      const { runServe } = await import("./run-serve.js");
      await runServe(collectServeFlags(command), context);
    });
  },
};

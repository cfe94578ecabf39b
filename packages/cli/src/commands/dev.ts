import { addGlobalOptions } from "../program/global-options.js";
import { addSections } from "../program/help.js";
import type { MgmtCommand } from "../program/command.js";
import type { Context } from "../run/context.js";
import { defineDevApprovals } from "./dev-approvals.js";
import type { DevFlags } from "./run-dev.js";

/** The whole service on this machine; what it needs is loaded when it is called. */
export const defineDev = (command: MgmtCommand, context: Context): void => {
  command
    .summary("Run the service here, with real Postgres databases")
    .description(
      "Runs the service on this machine, with real Postgres databases behind it, until Ctrl-C.\n\n" +
        "With --output json one line is printed once it is ready: baseUrl, authUrl, controlUrl, controlSecretFile, token, workspaceId, pid.",
    )
    .option("--port <number>", "port to listen on; 0 takes any free one")
    .option("--data-dir <path>", "where projects and databases are kept between runs")
    .option("--ephemeral", "keep nothing after it ends");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt dev", "mgmt dev --ephemeral --port 0 --output json", "mgmt dev --data-dir ./data"],
  });
  defineDevApprovals(command.command("approvals"), context);
  command.action(async () => {
    const { runDev } = await import("./run-dev.js");
    await runDev(command.opts<DevFlags>(), context);
  });
};

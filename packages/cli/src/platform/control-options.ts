import type { MgmtCommand } from "../command-line/command.js";
import { collectGlobalFlags } from "../command-line/global-options.js";
import type { ControlFlags } from "./request-control.js";

/** Adds the flags that choose the control surface. */
export const addControlOptions = (command: MgmtCommand): void => {
  command
    .option(
      "--control-url <url>",
      "URL of the control surface (or MGMT_CONTROL_URL; default: the running mgmt dev's)",
    )
    .option(
      "--control-secret-file <path>",
      "file with its secret, - for standard input (or MGMT_CONTROL_SECRET_FILE)",
    );
};

/** Reads these flags and the global flags. */
export const collectControlFlags = (command: MgmtCommand): ControlFlags => ({
  ...collectGlobalFlags(command),
  ...command.opts<Pick<ControlFlags, "controlUrl" | "controlSecretFile">>(),
});

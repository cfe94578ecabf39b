import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { Check } from "./check.js";

export const doctorCommand: HandwrittenCommand<readonly Check[]> = {
  commandPath: "doctor",
  helpGroup: "about",
  order: 30,
  summary: "Check this machine, the service and the credential",
  description:
    "Checks what commands depend on: Node.js, the profiles file, the link, the service and the connection to it, the clock, " +
    "the contract, the credential and the default ids. Changes nothing. Exits with 1 if a check fails, and says what to do " +
    "about each problem.",
  examples: ["mgmt doctor", "mgmt doctor --profile staging", "mgmt doctor --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runDoctor } = await import("./run-doctor.js");
      await runDoctor(collectGlobalFlags(command), context);
    });
  },
};

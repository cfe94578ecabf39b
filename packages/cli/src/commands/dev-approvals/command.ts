import type { Context } from "../../context.js";
import { idPrefixes } from "../../generated/id-prefixes.js";
import { parseDuration } from "../../input/duration.js";
import { assertId } from "../../input/ids.js";
import type { MgmtCommand } from "../../program/command.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";
import type { ControlFlags, Decision } from "./run.js";

// Deciding is not an operation of the API: these commands call the control surface of `mgmt dev`.

/** `mgmt dev approvals list`. */
export const defineList: DefineCommand = (command, context) => {
  command.description("Lists all approvals on the service that mgmt dev runs, oldest first.");
  addControlOptions(command, ["mgmt dev approvals list"]);
  command.action(async () => {
    const { listApprovals } = await import("./run.js");
    await listApprovals(controlFlags(command), context);
  });
};

const approvalId = exampleId(idPrefixes.approval);

/** `mgmt dev approvals approve`. */
export const defineApprove: DefineCommand = (command, context) => {
  command
    .description(
      "Approves one run of the request. With --window it approves the same operation in the same project for that time.",
    )
    .option("--window <time>", "such as 30m or 2h, at most 24h; not for transfers and restores");
  defineDecision(command, context, [approvalId, `${approvalId} --window 1h`], () => {
    const { window } = command.opts<{ window?: string }>();
    return window === undefined
      ? { kind: "approve" }
      : { kind: "approve-window", milliseconds: parseDuration(window, "--window") };
  });
};

/** `mgmt dev approvals deny`. */
export const defineDeny: DefineCommand = (command, context) => {
  command.description(
    "Denies the request. Repeating it fails as well until the approval's 15 minutes are over.",
  );
  defineDecision(command, context, [approvalId], () => ({ kind: "deny" }));
};

const defineDecision = (
  command: MgmtCommand,
  context: Context,
  examples: readonly string[],
  decision: () => Decision,
): void => {
  command.argument("<approval-id>", `id of the approval (${idPrefixes.approval}…)`);
  addControlOptions(
    command,
    examples.map((example) => `mgmt dev approvals ${command.name()} ${example}`),
  );
  command.action(async (id: string) => {
    const chosen = decision();
    assertId("<approval-id>", id);
    const { decideApproval } = await import("./run.js");
    await decideApproval(id, chosen, controlFlags(command), context);
  });
};

const addControlOptions = (command: MgmtCommand, examples: readonly string[]): void => {
  command
    .option(
      "--control-url <url>",
      "address of the control surface (or MGMT_CONTROL_URL; default: the running mgmt dev's)",
    )
    .option("--control-secret-file <path>", "file with its secret (or MGMT_CONTROL_SECRET_FILE)");
  addGlobalOptions(command);
  addSections(command, { Examples: () => examples });
};

const controlFlags = (command: MgmtCommand): ControlFlags => ({
  ...globalFlags(command),
  ...command.opts<Pick<ControlFlags, "controlUrl" | "controlSecretFile">>(),
});

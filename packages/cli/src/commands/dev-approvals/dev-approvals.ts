import type { Context } from "../../input/context.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { parseDuration } from "../../input/duration.js";
import { assertId } from "../../input/ids.js";
import type { MgmtCommand } from "../../run/program/command.js";
import { globalFlags } from "../../run/program/global-options.js";
import { exampleId } from "../../run/program/help-sections.js";
import type { CommandDeclaration, GroupDeclaration } from "../../run/program/declaration.js";
import type { ControlFlags } from "../../platform/request-control.js";
import type { Decision, PrintedApproval } from "./run-dev-approvals.js";

// Deciding is not an operation of the API: these commands call the control surface of `mgmt dev`.

export const devApprovalsGroup: GroupDeclaration = {
  words: "dev approvals",
  order: 10,
  summary: "Approve or deny the requests of agents",
};

/** `mgmt dev approvals list`. */
export const devApprovalsListCommand: CommandDeclaration<readonly PrintedApproval[]> = {
  words: "dev approvals list",
  order: 10,
  alias: "ls",
  summary: "List all approvals, oldest first",
  description: "Lists all approvals on the service that mgmt dev runs, oldest first.",
  examples: ["mgmt dev approvals list"],
  define: (command, context) => {
    addControlOptions(command);
    command.action(async () => {
      const { listApprovals } = await import("./run-dev-approvals.js");
      await listApprovals(controlFlags(command), context);
    });
  },
};

const approvalId = exampleId(idPrefixes.approval);

/** `mgmt dev approvals approve`. */
export const devApprovalsApproveCommand: CommandDeclaration<PrintedApproval> = {
  words: "dev approvals approve",
  order: 20,
  summary: "Approve a request",
  description:
    "Approves one run of the request. With --window it approves the same operation in the same project for that time.",
  examples: [
    `mgmt dev approvals approve ${approvalId}`,
    `mgmt dev approvals approve ${approvalId} --window 1h`,
  ],
  define: (command, context) => {
    command.option("--window <time>", "such as 30m or 2h, at most 24h; not for transfers and restores");
    defineDecision(command, context, () => {
      const { window } = command.opts<{ window?: string }>();
      return window === undefined
        ? { kind: "approve" }
        : { kind: "approve-window", milliseconds: parseDuration(window, "--window") };
    });
  },
};

/** `mgmt dev approvals deny`. */
export const devApprovalsDenyCommand: CommandDeclaration<PrintedApproval> = {
  words: "dev approvals deny",
  order: 30,
  summary: "Deny a request",
  description: "Denies the request. Repeating it fails as well until the approval's 15 minutes are over.",
  examples: [`mgmt dev approvals deny ${approvalId}`],
  define: (command, context) => {
    defineDecision(command, context, () => ({ kind: "deny" }));
  },
};

const defineDecision = (command: MgmtCommand, context: Context, decision: () => Decision): void => {
  command.argument("<approval-id>", `id of the approval (${idPrefixes.approval}…)`);
  addControlOptions(command);
  command.action(async (id: string) => {
    const chosen = decision();
    assertId("<approval-id>", id);
    const { decideApproval } = await import("./run-dev-approvals.js");
    await decideApproval(id, chosen, controlFlags(command), context);
  });
};

const addControlOptions = (command: MgmtCommand): void => {
  command
    .option(
      "--control-url <url>",
      "address of the control surface (or MGMT_CONTROL_URL; default: the running mgmt dev's)",
    )
    .option(
      "--control-secret-file <path>",
      "file with its secret, - for standard input (or MGMT_CONTROL_SECRET_FILE)",
    );
};

const controlFlags = (command: MgmtCommand): ControlFlags => ({
  ...globalFlags(command),
  ...command.opts<Pick<ControlFlags, "controlUrl" | "controlSecretFile">>(),
});

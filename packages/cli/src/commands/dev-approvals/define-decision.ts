import type { Context } from "../../input/context.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { assertId } from "../../input/ids.js";
import type { MgmtCommand } from "../../command-line/command.js";
import type { Decision } from "./run-decision.js";
import { addControlOptions, collectControlFlags } from "../../platform/control-options.js";

/**
 * Defines a command that decides about an approval.
 *
 * @param readDecision reads the decision from the flags.
 */
export const defineDecisionCommand = (
  command: MgmtCommand,
  context: Context,
  readDecision: () => Decision,
): void => {
  command.argument("<approval-id>", `id of the approval (${idPrefixes.approval}…)`);
  addControlOptions(command);
  command.action(async (id: string) => {
    const decision = readDecision();
    assertId("<approval-id>", id);
    const { runDevApprovalsDecision } = await import("./run-decision.js");
    await runDevApprovalsDecision(id, decision, collectControlFlags(command), context);
  });
};

import type { Operator } from "@mgmt/platform/serve";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import type { MgmtCommand } from "../../command-line/command.js";
import type { Context } from "../../input/context.js";
import { assertId } from "../../input/ids.js";
import { toPrintedApproval } from "../../platform/printed-approval.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

/** Decides about an approval. */
type Decision = (operator: Operator, id: string) => ReturnType<Operator["deny"]>;

/**
 * Defines a command that decides about an approval, and prints it.
 *
 * @param readDecision reads the decision from the flags.
 */
export const defineDecisionCommand = (
  command: MgmtCommand,
  context: Context,
  readDecision: () => Decision,
): void => {
  command.argument("<approval-id>", `id of the approval (${idPrefixes.approval}…)`);
  addServeOptions(command);
  command.action(async (id: string) => {
    const decide = readDecision();
    assertId("<approval-id>", id);
    const approval = await runAsOperator(collectServeFlags(command), context, (operator) =>
      decide(operator, id),
    );
    await context.output.writeResult(toPrintedApproval(approval));
  });
};

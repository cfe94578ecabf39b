import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import type { DumpInput } from "./dump-input.js";
import { runScript, type ScriptInfo } from "./run-script.js";
import { runInOneTransaction } from "./one-transaction.js";

/** Runs a script that was examined before: in one transaction, unless it has transactions of its own. */
export const runExaminedScript = async (
  input: DumpInput,
  scriptInfo: ScriptInfo,
  access: DatabaseAccess,
  context: Context,
): Promise<void> => {
  const stopSpinner = context.output.startSpinner(() => `Writing to ${access.databaseId}`);
  const runOnce = (): Promise<void> => runScript(input, scriptInfo, access, context);
  try {
    await (scriptInfo.firstTransactionLine === undefined
      ? runInOneTransaction(access, context, runOnce)
      : runOnce());
  } finally {
    stopSpinner();
  }
};

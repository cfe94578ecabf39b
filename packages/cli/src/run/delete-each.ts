import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { allFailedError, partlyDoneError } from "../errors/run-errors.js";
import type { RequestInput } from "../input/read-input.js";
import type { ItemResult } from "../output/output.js";
import { withIdHints } from "./with-id-hints.js";
import { createCommandCall } from "./invocation.js";
import {
  createInterruptedDeletionNotice,
  createDeletedResult,
  renderDoneMessage,
  getTargetId,
} from "./messages.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import type { CommandTargets } from "./targets.js";

/**
 * Deletes several resources, and prints a result for each. Continues after a failure, and fails in the end if one did. An
 * interruption ends the results, and a notice names the resource whose deletion was in progress.
 */
export const deleteEach = async (
  command: GeneratedCommand,
  { targets, unknownNameErrors }: CommandTargets,
  input: RequestInput,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal, changeTracker } = context;
  const failures: unknown[] = [];
  let isInterrupted = false;
  const deleteTargets = async function* (): AsyncGenerator<ItemResult> {
    for (const [index, target] of targets.entries()) {
      try {
        const unknownNameError = unknownNameErrors.get(getTargetId(command, target));
        if (unknownNameError) throw unknownNameError;
        await withIdHints(command, target, context, () =>
          client.request(createCommandCall(command, target, input), { signal }),
        );
        output.info(renderDoneMessage(command, target));
        yield createDeletedResult(command, target);
      } catch (error) {
        const mightBeDone = changeTracker.consumeUnconfirmed();
        if (signal.aborted) {
          isInterrupted = true;
          output.notice(
            createInterruptedDeletionNotice(command, target, mightBeDone, targets.length - index - 1),
          );
          return;
        }
        failures.push(error);
        const id = getTargetId(command, target);
        await output.fail(error, { label: id, id });
        const { exitCode: _, ...failure } = await output.describeFailure(error, id);
        yield { id, status: "failed", error: failure };
      }
    }
  };
  await output.writeItemResults(deleteTargets());
  if (isInterrupted) throw signal.reason;
  if (failures.length === 0) return;
  if (failures.length < targets.length) throw partlyDoneError(failures.length, targets.length);
  throw allFailedError(targets.length, failures[0]);
};

import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { allFailedError, partlyDoneError } from "../errors/run-errors.js";
import type { RequestInput } from "../input/read-input.js";
import type { ItemResult } from "../output/output.js";
import { explainWrongIds } from "./explain-wrong-ids.js";
import { createCommandCall } from "./invocation.js";
import { deleteInterruptedNotice, deletedResult, renderDoneMessage, idOf } from "./messages.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import type { Targets } from "./targets.js";

/**
 * Deletes several resources, and prints a result for each. Continues after a failure, and fails in the end if one did. An
 * interruption ends the results, and a notice names the resource whose deletion was under way.
 */
export const runEach = async (
  command: CommandDefinition,
  { targets, unknown }: Targets,
  input: RequestInput,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal, changes } = context;
  const failures: unknown[] = [];
  let isInterrupted = false;
  const results = async function* (): AsyncGenerator<ItemResult> {
    for (const [index, target] of targets.entries()) {
      try {
        const unknownName = unknown.get(idOf(command, target));
        if (unknownName) throw unknownName;
        await explainWrongIds(command, target, context, () =>
          client.request(createCommandCall(command, target, input), { signal }),
        );
        output.info(renderDoneMessage(command, target));
        yield deletedResult(command, target);
      } catch (error) {
        const mayBeDone = changes.takeUnanswered();
        if (signal.aborted) {
          isInterrupted = true;
          output.notice(deleteInterruptedNotice(command, target, mayBeDone, targets.length - index - 1));
          return;
        }
        failures.push(error);
        const id = idOf(command, target);
        await output.fail(error, { label: id, id });
        const { exitCode: _, ...failure } = await output.failureOf(error, id);
        yield { id, status: "failed", error: failure };
      }
    }
  };
  await output.itemResults(results());
  if (isInterrupted) throw signal.reason;
  if (failures.length === 0) return;
  if (failures.length < targets.length) throw partlyDoneError(failures.length, targets.length);
  throw allFailedError(targets.length, failures[0]);
};

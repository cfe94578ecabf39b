import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import { allFailed, partlyDone } from "../errors/run-errors.js";
import type { Input } from "../input/read-input.js";
import type { ItemResult } from "../output/output.js";
import { explainingIds } from "./explaining-ids.js";
import { callOf } from "./invocation.js";
import { deleteInterrupted, deleted, doneMessage, idOf } from "./messages.js";
import type { OperationCommand } from "./row.js";

type Target = Readonly<Record<string, string>>;

/**
 * Deletes several resources, and prints a result for each. Continues after a failure, and fails in the end if one did. Ctrl-C ends
 * the results, and a notice names the resource whose deletion was under way.
 */
export const runEach = async (
  command: OperationCommand,
  targets: readonly Target[],
  input: Input,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const failures: unknown[] = [];
  let isInterrupted = false;
  const results = async function* (): AsyncGenerator<ItemResult> {
    for (const [index, target] of targets.entries()) {
      try {
        await explainingIds(command, target, context, () =>
          client.request(callOf(command, target, input), { signal }),
        );
        output.info(doneMessage(command, target));
        yield deleted(command, target);
      } catch (error) {
        if (signal.aborted) {
          isInterrupted = true;
          output.notice(deleteInterrupted(command, target, targets.length - index - 1));
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
  if (failures.length < targets.length) throw partlyDone(failures.length, targets.length);
  throw allFailed(targets.length, failures[0]);
};

import { readOnlyTransaction, writeWithoutLocks } from "../store/storage-adapter.js";
import type { RequestContext } from "../context/request-context.js";
import type { RuleContext } from "../context/rule-context.js";

/** Runs a step in a transaction. Resolves when its changes are stored durably. */
export const runChangeStep = async <T>(
  requestContext: RequestContext,
  step: (context: RuleContext) => T,
): Promise<T> => {
  const stepResult = await requestContext.transact(writeWithoutLocks, step);
  await requestContext.whenSaved();
  return stepResult;
};

/** Runs a step that changes nothing. */
export const runReadStep = async <T>(
  requestContext: RequestContext,
  step: (context: RuleContext) => T,
): Promise<T> => requestContext.transact(readOnlyTransaction, step);

import { readOnly, withoutLocks } from "../store/storage-adapter.js";
import type { RequestContext } from "../context/request-context.js";
import type { RuleContext } from "../context/rule-context.js";

/** Runs a step in a transaction. Resolves when its changes are stored durably. */
export const change = async <T>(server: RequestContext, step: (context: RuleContext) => T): Promise<T> => {
  const result = await server.transact(withoutLocks, step);
  await server.saved();
  return result;
};

/** Runs a step that changes nothing. */
export const read = async <T>(server: RequestContext, step: (context: RuleContext) => T): Promise<T> =>
  server.transact(readOnly, step);

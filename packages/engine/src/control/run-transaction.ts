import { readOnlyTransaction, writeWithoutLocks } from "../store/storage-adapter.js";
import type { RequestContext } from "../context/request-context.js";
import type { OperationContext } from "../context/operation-context.js";

/** Runs a callback in a transaction. Resolves when its changes are stored durably. */
export const runWriteTransaction = async <T>(
  requestContext: RequestContext,
  callback: (context: OperationContext) => T,
): Promise<T> => {
  const result = await requestContext.transact(writeWithoutLocks, callback);
  await requestContext.waitUntilSaved();
  return result;
};

/** Runs a callback that changes nothing. */
export const runReadTransaction = async <T>(
  requestContext: RequestContext,
  callback: (context: OperationContext) => T,
): Promise<T> => requestContext.transact(readOnlyTransaction, callback);

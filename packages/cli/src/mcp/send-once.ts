import type { Approval, MgmtClient } from "@mgmt/sdk";
import { unknownOutcomeError } from "../errors/mcp-errors.js";
import { isObject } from "../json/json-path.js";
import { ApiError } from "../sdk/sdk.js";
import type { JournalEntry } from "./call-journal.js";
import type { RequestParts } from "./request-parts.js";
import type { ServerContext } from "./server-context.js";
import type { ToolResult } from "./tool.js";

/** The values by which two calls are considered the same. */
export interface OnceIdentity {
  /** Id of the operation. */
  readonly operation: string;
  readonly parts: RequestParts;
  /** An argument that distinguishes an intended repetition from the same call. */
  readonly again: unknown;
}

/** The result of a request that is sent at most once: the response, or when an earlier call had it carried out. */
export type SentOnce<T> = { readonly response: T } | { readonly doneAt: string };

/**
 * Sends an irreversible request, unless an earlier call has sent it: a client that was killed repeats its call, and must not
 * restore or rotate a second time. An approval says whether it was used, because the service marks it as consumed together with the change.
 *
 * @throws `mcp:outcome_unknown` if the request was sent, and nothing says whether it was carried out; `mcp:journal_unwritable`; errors of
 *   the request.
 */
export const sendOnce = async <T>(
  identity: OnceIdentity,
  send: () => Promise<T>,
  { session, journal, mutex }: ServerContext,
  signal: AbortSignal,
): Promise<SentOnce<T>> => {
  if (session.isDryRun) return { response: await send() };
  const client = await session.getClient();
  const key = toKey(identity, await session.getOrigin());
  const isAgent = await session.isAgent();
  return mutex.run([key], async () => {
    const entry = (await journal.read(key)) ?? {};
    const doneAt = await findDoneAt(entry, identity.operation, client, { signal, isAgent });
    if (doneAt !== undefined) {
      await journal.write(key, { ...entry, doneAt });
      return { doneAt };
    }
    await journal.write(key, { ...entry, sentAt: now() });
    try {
      const response = await send();
      const time = now();
      // Without this line, the next call asks for the approval.
      await journal.write(key, { ...entry, sentAt: time, doneAt: time }).catch(() => undefined);
      return { response };
    } catch (error) {
      if (isRejection(error)) {
        const approvalId: unknown = Reflect.get(error, "approvalId");
        await journal.write(key, typeof approvalId === "string" ? { approvalId } : entry);
      }
      throw error;
    }
  });
};

/**
 * Deletes something. An id that was deleted never exists again, so that the request is sent each time. If there is nothing to delete, an
 * earlier call may have done it.
 *
 * @param run checks the request, and calls `send` to send it.
 * @throws the errors of `run`; `mcp:journal_unwritable`.
 */
export const deleteOnce = async (
  identity: OnceIdentity,
  send: () => Promise<unknown>,
  check: () => Promise<unknown>,
  { session, journal }: ServerContext,
): Promise<SentOnce<unknown>> => {
  const key = toKey(identity, await session.getOrigin());
  const earlier = await journal.read(key);
  try {
    await check();
    if (!session.isDryRun) await journal.write(key, { sentAt: now() });
    return { response: await send() };
  } catch (error) {
    if (isNotFound(error) && earlier?.sentAt !== undefined) {
      await journal.write(key, earlier);
      return { doneAt: earlier.sentAt };
    }
    if (isRejection(error)) await journal.write(key, {});
    throw error;
  }
};

/** The fields of a result if the call was carried out before. */
export const describeRepetition = (doneAt: string): ToolResult => ({
  alreadyDone: doneAt,
  message: `Nothing was sent: the same call was carried out at ${doneAt}. To do it once more, pass again: "${doneAt}".`,
});

/** The fields of a result if an earlier call has deleted the resource. */
export const describeDeletion = (doneAt: string): ToolResult => ({
  alreadyDone: doneAt,
  message: `It no longer exists: the same call was sent at ${doneAt}.`,
});

/** Operations that a sponsor approves one request at a time, so that without an approval they were not carried out. */
const singlyApproved: ReadonlySet<string> = new Set(["databases.restore", "projects.transfer"]);

/** Returns when the request was carried out; undefined if it was not. Throws `mcp:outcome_unknown`. */
const findDoneAt = async (
  { approvalId, sentAt, doneAt }: JournalEntry,
  operation: string,
  client: MgmtClient,
  { signal, isAgent }: { readonly signal: AbortSignal; readonly isAgent: boolean },
): Promise<string | undefined> => {
  if (doneAt !== undefined) return doneAt;
  const approval = approvalId === undefined ? undefined : await readApproval(approvalId, client, signal);
  if (approval?.status === "consumed") return sentAt ?? approval.decidedAt ?? now();
  if (sentAt === undefined || (isAgent && singlyApproved.has(operation))) return undefined;
  // The request did not take effect: it would have consumed an approval for a single request, and no other status permits it.
  if (approval && approval.status !== "approved_window") return undefined;
  throw unknownOutcomeError(sentAt);
};

const readApproval = async (
  approvalId: string,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Approval | undefined> => {
  try {
    return await client.agentApprovals.get(approvalId, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Whether the service has answered that it did nothing. */
const isRejection = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 408;

/** @param origin address of the service. */
const toKey = ({ operation, parts, again }: OnceIdentity, origin: string): string =>
  toSortedJson([origin, operation, parts, again ?? null]);

/** Returns a text that is the same for equal values, whatever the order of their fields. */
const toSortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );

const now = (): string => new Date().toISOString();

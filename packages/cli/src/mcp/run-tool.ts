import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
} from "@modelcontextprotocol/server";
import { toFailure } from "../errors/failure.js";
import { isObject } from "../json/json-path.js";
import { assertArguments } from "./argument-schemas.js";
import { createAuditEntry } from "./audit-entry.js";
import type { AuditFile } from "./audit-file.js";
import type { ServerContext } from "./server-context.js";
import { type CallRecord, ChangeNotSentError } from "./service-session.js";
import { runWithApproval } from "./sponsor-approval.js";
import type { Tool, ToolCall, ToolResult } from "./tool.js";
import { confirmWithUser } from "./user-confirmation.js";
import type { WritePolicy } from "./write-policy.js";

/** The environment of a tool call. */
export interface CallEnvironment {
  readonly writes: WritePolicy["writes"];
  /** Name and version of the client; null if it does not identify itself. */
  readonly client: string | null;
  readonly audit: AuditFile;
  readonly serverContext: ServerContext;
}

/**
 * Runs a call of a tool, and writes its start and its outcome to the audit file. Errors are results as well, so that a model can read them.
 */
export const runTool = async (
  tool: Tool,
  call: ToolCall,
  { writes, client, audit, serverContext }: CallEnvironment,
): Promise<CallToolResult | InputRequiredResult> => {
  const { session, redactor } = serverContext;
  const isMutating = !tool.annotations.readOnlyHint;
  const isDryRun = isMutating && call.arguments["dryRun"] === true;
  const record: CallRecord = { isDryRun, plannedRequests: [], requestId: null };
  const appendAudit = (outcome: string, approvalId: string | null = null): Promise<void> =>
    audit.append({
      ...createAuditEntry(tool, call, client),
      requestId: record.requestId,
      outcome,
      approvalId,
    });
  try {
    if (tool.rejection !== undefined) throw tool.rejection;
    assertArguments(tool.name, tool.inputSchema, call.arguments);
    await tool.check?.(call.arguments);
    if (isMutating && !isDryRun) {
      const pendingRequest =
        writes === "with_confirmation_of_user" && (await confirmWithUser(tool, call, serverContext));
      if (pendingRequest) return pendingRequest;
      await appendAudit("started");
    }
    const { dryRun: _, ...args } = call.arguments;
    const result = await session.run(record, () => runWithApproval(tool, args, call, serverContext));
    if (isInputRequiredResult(result)) return result;
    const outcomeAppended = appendAudit(getOutcome(result), getStringProperty(result, "approvalId"));
    if (!isMutating) await outcomeAppended;
    // The change is made, and the audit file already has its start, so a failed write is only a warning.
    const warning = await outcomeAppended.then(
      () => undefined,
      async (error: unknown) => (await toFailure(error)).message,
    );
    const resultWithWarning = { ...result, ...(warning !== undefined && { warning }) };
    return toCallResult(redactor.redact(resultWithWarning, tool.resultNames), false);
  } catch (error) {
    if (error instanceof ChangeNotSentError) {
      await appendAudit("dry_run");
      return toCallResult(redactor.redact({ status: "dry_run", requests: record.plannedRequests }), false);
    }
    const { code, message, hint, status, requestId, issues, retryAfter } = await toFailure(error);
    record.requestId = requestId ?? record.requestId;
    await appendAudit(`error:${code}`).catch(() => undefined);
    const failure = { code, message, hint, status, requestId, issues, retryAfter };
    return toCallResult(redactor.redact({ status: "error", error: failure }), true);
  }
};

const getOutcome = ({ status, alreadyDone }: ToolResult): string => {
  if (alreadyDone !== undefined) return "already_done";
  return typeof status === "string" ? status : "ok";
};

const getStringProperty = (result: ToolResult, name: string): string | null => {
  const value = result[name];
  return typeof value === "string" ? value : null;
};

/** Returns a result both as structured data and as text, because some clients read only one of them. */
const toCallResult = (value: unknown, isError: boolean): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  ...(isObject(value) && { structuredContent: value }),
  ...(isError && { isError }),
});

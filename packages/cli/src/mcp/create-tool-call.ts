import type { ServerContext as McpRequestContext } from "@modelcontextprotocol/server";
import type { ClientCapabilities } from "./client-capabilities.js";
import type { Tool, ToolArguments, ToolCall } from "./tool.js";

const defaultMaxWaitMs = 45_000;
/** How long a client that uses the older protocol has to answer a form while its call is pending. */
const formTimeoutMs = 50_000;

/** The time limit and the signal of a call. */
export interface CallLimits {
  /** How long the call may wait, in milliseconds. Default: 45,000, because most clients give up after 60 seconds. */
  readonly maxWaitMs: number | undefined;
  /** Aborted when the server stops. */
  readonly serverSignal: AbortSignal;
}

/** Creates the call of a tool from the request of a client. */
export const createToolCall = (
  { name }: Tool,
  args: ToolArguments,
  { mcpReq }: McpRequestContext,
  { hasUrlElicitation, hasFormElicitation }: ClientCapabilities,
  { maxWaitMs = defaultMaxWaitMs, serverSignal }: CallLimits,
): ToolCall => {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  // Clients of the newer protocol, which send an envelope, answer questions with another call.
  const isOlderProtocol = mcpReq.envelope === undefined;
  return {
    tool: name,
    arguments: args,
    signal: AbortSignal.any([mcpReq.signal, serverSignal]),
    deadlineMs: performance.now() + maxWaitMs,
    report: (message) => {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
    hasUrlElicitation,
    hasFormElicitation,
    answers: mcpReq.inputResponses,
    showForm: isOlderProtocol
      ? (message, requestedSchema) =>
          mcpReq
            .elicitInput({ mode: "form", message, requestedSchema }, { timeout: formTimeoutMs })
            .catch(() => undefined)
      : undefined,
    showLink: isOlderProtocol
      ? (message, url, elicitationId) =>
          mcpReq
            .elicitInput({ mode: "url", message, url, elicitationId }, { timeout: maxWaitMs / 2 })
            .catch(() => undefined)
      : undefined,
  };
};

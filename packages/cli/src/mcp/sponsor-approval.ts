import { inputRequired, type InputRequiredResult } from "@modelcontextprotocol/server";
import { isObject } from "../json/json-path.js";
import { ApiError } from "../sdk/sdk.js";
import type { ServerContext } from "./server-context.js";
import type { Tool, ToolArguments, ToolCall, ToolResult } from "./tool.js";
import { waitForApproval } from "./tools/approvals.js";

/** Key of the elicitation response to the link to the approval page. */
const approvalLinkKey = "approval";

/**
 * Runs a tool. If its request needs an approval, returns how to get one. A client that can show links gets the link to the approval page
 * first, and the tool runs again if the sponsor approves in time.
 */
export const runWithApproval = async (
  tool: Tool,
  args: ToolArguments,
  call: ToolCall,
  serverContext: ServerContext,
): Promise<ToolResult | InputRequiredResult> => {
  try {
    return await tool.run(args, call);
  } catch (error) {
    if (!isApprovalRequired(error)) throw error;
    const { approvalId, approvalUrl, expiresAt } = error;
    const message = `${tool.name} needs the approval of the agent's sponsor.`;
    let answer = call.answers?.[approvalLinkKey];
    if (answer === undefined && call.hasUrlElicitation) {
      if (!call.showLink)
        return inputRequired({
          inputRequests: { [approvalLinkKey]: inputRequired.elicitUrl({ message, url: approvalUrl }) },
        });
      answer = await call.showLink(message, approvalUrl, approvalId);
    }
    if (isObject(answer) && answer["action"] === "accept") {
      const { status } = await waitForApproval({ approvalId }, call, serverContext);
      if (status === "approved" || status === "approved_window") return tool.run(args, call);
    }
    return {
      status: "approval_required",
      approvalId,
      approvalUrl,
      expiresAt,
      message: "Show the user approvalUrl, where the sponsor decides.",
      next: [
        { tool: "approval_wait", arguments: { approvalId } },
        { tool: call.tool, arguments: call.arguments },
      ],
    };
  }
};

interface ApprovalRequired {
  readonly approvalId: string;
  readonly approvalUrl: string;
  readonly expiresAt: string;
}

const isApprovalRequired = (error: unknown): error is Error & ApprovalRequired =>
  error instanceof ApiError &&
  error.code === "approval_required" &&
  ["approvalId", "approvalUrl", "expiresAt"].every((name) => typeof Reflect.get(error, name) === "string");

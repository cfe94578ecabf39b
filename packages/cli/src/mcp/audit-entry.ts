import { isObject } from "../json/json-path.js";
import type { AuditEntry } from "./audit-file.js";
import type { Tool, ToolArguments, ToolCall } from "./tool.js";

/** Returns the parts of an audit entry that are known before a call runs. */
export const createAuditEntry = (
  { name, operation }: Tool,
  { arguments: args }: ToolCall,
  client: string | null,
): Pick<AuditEntry, "client" | "tool" | "operation" | "ids"> => {
  const { operation: calledOperation } = args;
  return {
    client,
    tool: name,
    operation: operation ?? (typeof calledOperation === "string" ? calledOperation : null),
    ids: listIds(args),
  };
};

/**
 * Returns the arguments that are ids, by name. If a tool calls an operation, the ids among the operation's arguments come first.
 */
export const listIds = (args: ToolArguments): AuditEntry["ids"] => {
  const { arguments: operationArguments } = args;
  const allArguments = { ...(isObject(operationArguments) && operationArguments), ...args };
  return Object.fromEntries(
    Object.entries(allArguments).flatMap(([key, value]) =>
      /id$/i.test(key) && typeof value === "string" ? [[key, value.slice(0, 200)]] : [],
    ),
  );
};

import { inputRequired, type InputRequiredResult } from "@modelcontextprotocol/server";
import { cannotConfirmError, notConfirmedError } from "../errors/mcp-errors.js";
import { isObject } from "../json/json-path.js";
import { listIds } from "./audit-entry.js";
import type { ServerContext } from "./server-context.js";
import type { ConfirmationSchema, Tool, ToolCall } from "./tool.js";

/** Key of the elicitation response that confirms a change made with the user's own credential. */
const confirmationKey = "confirmation";

/**
 * Asks the user to confirm a change made with the user's own credential. In a protected folder, the user has to type an id of the resource
 * that a destructive tool changes.
 *
 * @returns the pending request, or undefined once the user has agreed.
 * @throws CliError `mcp:cannot_confirm` if the client cannot show forms, `mcp:not_confirmed` if the user does not agree.
 */
export const confirmWithUser = async (
  tool: Tool,
  { hasFormElicitation, answers, arguments: args, showForm }: ToolCall,
  { redactor, findProtection }: ServerContext,
): Promise<InputRequiredResult | undefined> => {
  if (!hasFormElicitation) throw cannotConfirmError(tool.name);
  // A long value must not push the others out of sight.
  const shortArguments = JSON.stringify(redactor.redact(args), (_, value: unknown) =>
    typeof value === "string" && value.length > 100 ? `${value.slice(0, 100)}…` : value,
  ).slice(0, 4_000);
  const protection = tool.annotations.destructiveHint ? findProtection() : undefined;
  const message = `Run ${tool.name} with your own credential? ${protection === undefined ? "" : `${protection} protects it. `}${shortArguments}`;
  const textToType =
    protection === undefined ? undefined : (Object.values(listIds(args)).at(-1) ?? tool.name);
  const requestedSchema = buildConfirmationSchema(tool.name, textToType);
  let answer = answers?.[confirmationKey];
  if (showForm) {
    answer = await showForm(message, requestedSchema);
    // The client advertises forms but did not show this one.
    if (answer === undefined) throw cannotConfirmError(tool.name);
  }
  if (!isObject(answer)) {
    const inputRequests = { [confirmationKey]: inputRequired.elicit({ message, requestedSchema }) };
    return inputRequired({ inputRequests });
  }
  const { action, content } = answer;
  if (action === "accept" && isObject(content) && content["confirm"] === (textToType ?? true))
    return undefined;
  throw notConfirmedError(tool.name);
};

const buildConfirmationSchema = (toolName: string, textToType: string | undefined): ConfirmationSchema => ({
  type: "object",
  properties: {
    confirm:
      textToType === undefined
        ? { type: "boolean", title: `Run ${toolName}` }
        : { type: "string", title: `Type ${textToType} to run ${toolName}` },
  },
  required: ["confirm"],
});

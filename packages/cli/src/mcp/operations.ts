import { groups } from "../contract/generated/groups.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { unknownOperationError } from "../errors/mcp-errors.js";
import { findSimilar } from "../text/suggest.js";
import { operationTools } from "./generated/operation-tools.js";
import type { OperationTool } from "./operation-tool.js";

/** Returns the id that a model calls an operation by: `databases.ensure`. */
export const getOperationId = ({ operation, ensures }: OperationTool): string =>
  ensures ? operation.replace(/\.create$/, ".ensure") : operation;

/**
 * Returns the tool of an operation.
 *
 * @param explainRejection returns why the server changes nothing, if it does not.
 * @throws `mcp:unknown_operation` if there is none, or if it is of the other kind; the reason why it may not be called.
 */
export const requireOperationTool = (
  id: string,
  kind: "read" | "write",
  explainRejection?: (subject: string) => Error,
): OperationTool => {
  const tools = operationTools.filter(({ annotations }) => annotations.readOnlyHint === (kind === "read"));
  const isCalled = (tool: OperationTool): boolean => getOperationId(tool) === id || tool.name === id;
  const tool = tools.find(isCalled);
  if (tool) return tool;
  const otherTool = operationTools.find(isCalled);
  if (otherTool && kind === "read" && explainRejection) throw explainRejection(id);
  throw unknownOperationError(
    id,
    otherTool
      ? [`operation_${kind === "read" ? "write" : "read"}`]
      : findSimilar(id, tools.map(getOperationId)),
  );
};

/** Returns the definition of the command of an operation. */
export const loadDefinition = async (operation: string): Promise<GeneratedCommand> => {
  const [group = ""] = operation.split(".");
  const definitions = await groups.find(({ name }) => name === loadName(group))?.load();
  const definition = definitions?.find(({ id }) => id === operation);
  if (!definition) throw new Error(`There is no operation ${operation}`);
  return definition;
};

/** The groups have the names of commands: `agentApprovals` is `agent-approvals`. */
const loadName = (group: string): string =>
  group.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

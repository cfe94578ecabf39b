import { toListedSchema } from "../argument-schemas.js";
import { operationTools } from "../generated/operation-tools.js";
import { getOperationId } from "../operations.js";
import type { OperationTool } from "../operation-tool.js";
import type { ToolArguments, ToolResult } from "../tool.js";
import { describeFailure, type ServerInfo } from "./context.js";

const maxMatches = 6;

/**
 * Finds operations by words of their names and summaries.
 *
 * @param explainRejection returns why the server changes nothing, if it does not. Operations that do are left out then.
 */
export const searchOperations = async (
  { words }: ToolArguments,
  explainRejection: ServerInfo["explainRejection"],
): Promise<ToolResult> => {
  const searchedWords = String(words)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map(toStem);
  const matches = operationTools
    .map((tool) => ({ tool, score: computeScore(tool, searchedWords) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
  const isOffered = ({ annotations }: OperationTool): boolean =>
    !explainRejection || annotations.readOnlyHint;
  const offered = matches.filter(isOffered).slice(0, maxMatches);
  const leftOut = matches
    .slice(0, maxMatches)
    .filter((tool) => !isOffered(tool))
    .map(getOperationId);
  return {
    operations: offered.map(describe),
    ...(explainRejection &&
      leftOut.length > 0 && {
        leftOut,
        because: await describeFailure(explainRejection(leftOut.join(", "))),
      }),
  };
};

/** Counts the words that an operation has. Those of its name count twice. */
const computeScore = (tool: OperationTool, words: readonly string[]): number => {
  const nameWords = getOperationId(tool)
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(toStem);
  const summaryWords = tool.summary
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(toStem);
  return words.reduce(
    (sum, word) => sum + (nameWords.includes(word) ? 2 : 0) + (summaryWords.includes(word) ? 1 : 0),
    0,
  );
};

/** `databases` and `database` are the same word here. */
const toStem = (word: string): string => word.replace(/(?<=\w{3})e?s$/, "");

const describe = (tool: OperationTool): ToolResult => ({
  operation: getOperationId(tool),
  summary: tool.summary,
  tool: tool.annotations.readOnlyHint ? "operation_read" : "operation_write",
  arguments: toListedSchema(tool.inputSchema),
  ...(tool.annotations.destructiveHint && { needsApproval: true }),
  ...(tool.issuesSecrets && { writesEnvFile: true }),
});

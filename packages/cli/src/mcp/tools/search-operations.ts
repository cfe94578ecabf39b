import { toListedSchema } from "../argument-schemas.js";
import { operationTools } from "../generated/operation-tools.js";
import { operationIdOf } from "../operations.js";
import type { OperationTool } from "../operation-tool.js";
import type { ToolArguments, ToolResult } from "../tool.js";

const maxMatches = 6;

/** Finds operations by words of their names and summaries. */
export const searchOperations = ({ words }: ToolArguments, canWrite: boolean): ToolResult => {
  const searchedWords = String(words)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map(toStem);
  const matches = operationTools
    .filter(({ annotations }) => canWrite || annotations.readOnlyHint)
    .map((tool) => ({ tool, score: scoreOf(tool, searchedWords) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  return { operations: matches.slice(0, maxMatches).map(({ tool }) => describe(tool)) };
};

/** Counts the words that an operation has. Those of its name count twice. */
const scoreOf = (tool: OperationTool, words: readonly string[]): number => {
  const nameWords = operationIdOf(tool)
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
  operation: operationIdOf(tool),
  summary: tool.summary,
  tool: tool.annotations.readOnlyHint ? "operation_read" : "operation_write",
  arguments: toListedSchema(tool.inputSchema),
  ...(tool.annotations.destructiveHint && { needsApproval: true }),
  ...(tool.issuesSecrets && { writesEnvFile: true }),
});

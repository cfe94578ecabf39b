import type { Command } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { exitCodeHelp, exitCodeOf } from "../../exit-codes.js";
import type { OperationCommand, Schema } from "../../operations/row.js";
import { lineOf, MgmtCommand } from "../../program/command.js";

/** What `mgmt schema` prints about a command. */
export interface CommandSchema {
  readonly command: string;
  readonly operationId: string | null;
  /** Schema of standard output with `--output json`. Null if nothing is printed or the result is not declared. */
  readonly result: Schema | null;
  /** Schema of a line of standard output with `--output ndjson`. */
  readonly streamLine: Schema | null;
  /** Schema of a line of standard error with `--output json` or `ndjson` when the command fails. */
  readonly error: Schema;
  readonly exitCodes: readonly { code: number; meaning: string; errors: readonly string[] }[];
}

/** Describes the output of the command that the words call. Throws a usage error if there is none. */
export const schemaOf = async (root: Command, words: readonly string[]): Promise<CommandSchema> => {
  const command = await find(root, words);
  const row = command instanceof MgmtCommand ? command.row : undefined;
  const { definitions, results } = await import("../../generated/schemas.js");
  const { item, errors = [] } = (row && results[row.id]) ?? {};
  const [result, line] = row ? shapes(row, item) : [null, null];
  const withDefinitions = (schema: Schema | null): Schema | null =>
    schema && { $schema: dialect, ...schema, ...usedDefinitions(schema, definitions) };
  return {
    command: lineOf(command),
    operationId: row?.id ?? null,
    result: withDefinitions(result),
    streamLine: withDefinitions(line),
    error: { $schema: dialect, ...errorLine },
    exitCodes: exitCodeHelp.map(([code, meaning]) => ({
      code,
      meaning,
      errors: errors.filter((error) => exitCodeOf(error) === code).map((error) => error.code),
    })),
  };
};

const dialect = "https://json-schema.org/draft/2020-12/schema";

const find = async (root: Command, words: readonly string[]): Promise<Command> => {
  let command = root;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!next)
      throw usageError(`Unknown command: ${lineOf(command)} ${word}`, `Run ${lineOf(command)} --help.`);
    if (next instanceof MgmtCommand) await next.define();
    command = next;
  }
  return command;
};

/** Returns the schemas of the result and of one line of it. */
const shapes = (
  { envelope, method }: OperationCommand,
  item: Schema | undefined,
): [Schema | null, Schema | null] => {
  if (envelope === "list" && item) return [{ type: "array", items: item }, item];
  if (envelope !== "none") return [item ?? null, item ?? null];
  return method === "DELETE" ? [{ type: "array", items: itemResult }, itemResult] : [null, null];
};

/** The definitions that a schema refers to, directly or through others. */
const usedDefinitions = (
  schema: Schema,
  definitions: Readonly<Record<string, Schema>>,
): { $defs?: Record<string, Schema> } => {
  const used: Record<string, Schema> = {};
  const visit = (node: unknown): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[name];
      if (name in used || !definition) continue;
      used[name] = definition;
      visit(definition);
    }
  };
  visit(schema);
  return Object.keys(used).length > 0 ? { $defs: used } : {};
};

const text: Schema = { type: "string" };

const failure: Schema = {
  type: "object",
  required: ["code", "message"],
  properties: {
    code: { ...text, description: "Stable code: `noun:reason`." },
    message: text,
    hint: { ...text, description: "What to do about it." },
    status: { type: "integer", description: "HTTP status, if the service responded." },
    requestId: text,
    issues: {
      type: "array",
      items: { type: "object", required: ["path", "message"], properties: { path: text, message: text } },
    },
    retryAfter: { type: "number", description: "Seconds to wait before the next request." },
    details: { type: "object", description: "Fields that the code adds." },
    next: {
      type: "array",
      description: "Command lines that help, the best first. Each can be executed as it is.",
      items: { type: "array", items: text },
    },
  },
};

const errorLine: Schema = { type: "object", required: ["error"], properties: { error: failure } };

const itemResult: Schema = {
  type: "object",
  required: ["id", "status"],
  properties: { id: text, status: { type: "string", enum: ["deleted", "failed"] }, error: failure },
};

import type { Command } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { exitCodeMeanings } from "../../errors/exit-code-meanings.js";
import { determineExitCode } from "../../errors/exit-codes.js";
import type { GeneratedCommand, Schema } from "../../contract/generated-command.js";
import { getCommandLine, MgmtCommand } from "../../command-line/command.js";
import type { CommandSchema, JsonSchema } from "./command-schema.js";

/** Describes the output of the command with a path. Throws a usage error if there is none. */
export const buildCommandSchema = async (
  root: Command,
  commandPath: readonly string[],
): Promise<CommandSchema> => {
  const command = await requireCommand(root, commandPath);
  const { definition, resultOf } = command;
  const [{ definitions, results }, { sharedResults }] = await Promise.all([
    import("../../contract/generated/schemas.js"),
    import("./generated/printed-schemas.js"),
  ]);
  const id = definition?.id ?? resultOf;
  const { item, errors = [] } = (id === undefined ? undefined : results[id]) ?? {};
  const resultSchema = definition
    ? createResultSchema(definition, item, sharedResults.item)
    : (item ?? (await findPrintedResult(command)));
  if (resultSchema === null && command.commands.length > 0) {
    const names = command.commands.map((subcommand) => subcommand.name()).join(", ");
    throw usageError(`${getCommandLine(command)} is a group of commands`, `Add one of: ${names}.`);
  }
  const { dryRun } = sharedResults;
  const hasFlag = (flag: string): boolean => command.options.some(({ long }) => long === flag);
  const toStandaloneSchema = (schema: Schema | null): JsonSchema | null =>
    schema && { $schema: schemaDialect, ...schema, ...collectDefinitions(schema, definitions) };
  return {
    command: getCommandLine(command),
    operationId: id ?? null,
    result: toStandaloneSchema(resultSchema),
    streamLine: toStandaloneSchema(
      resultSchema?.type === "array" ? (resultSchema.items ?? null) : resultSchema,
    ),
    bulkResult: toStandaloneSchema(hasFlag("--ndjson") ? createArraySchema(sharedResults.item) : null),
    dryRun: toStandaloneSchema(hasFlag("--dry-run") ? dryRun : null),
    error: { $schema: schemaDialect, ...sharedResults.error },
    exitCodes: exitCodeMeanings.map(([code, meaning]) => ({
      code,
      meaning,
      errors: errors.filter((error) => determineExitCode(error) === code).map((error) => error.code),
    })),
  };
};

const schemaDialect = "https://json-schema.org/draft/2020-12/schema";

const requireCommand = async (root: Command, commandPath: readonly string[]): Promise<MgmtCommand> => {
  let command = root;
  for (const word of commandPath) {
    const subcommand = command.commands.find(
      (subcommand) => subcommand.name() === word || subcommand.aliases().includes(word),
    );
    if (!subcommand)
      throw usageError(
        `Unknown command: ${getCommandLine(command)} ${word}`,
        `Run ${getCommandLine(command)} --help.`,
      );
    if (subcommand instanceof MgmtCommand) await subcommand.define();
    command = subcommand;
  }
  if (command instanceof MgmtCommand) return command;
  throw usageError(`Unknown command: ${getCommandLine(command)}`, "mgmt --help lists the commands.");
};

const createArraySchema = (items: Schema): Schema => ({ type: "array", items });

/** Returns the schema of the output of an operation's command. */
const createResultSchema = (
  { envelope, method, ensure, commandPath }: GeneratedCommand,
  item: Schema | undefined,
  itemResult: Schema,
): Schema | null => {
  if (envelope === "list" && item) return createArraySchema(item);
  if (item && ensure?.existing !== undefined && commandPath.at(-1) === "ensure") {
    return { anyOf: [item, { $ref: `#/$defs/${ensure.existing}` }] };
  }
  if (envelope !== "none") return item ?? null;
  return method === "DELETE" ? createArraySchema(itemResult) : null;
};

/** Returns the schema of the output of a handwritten command. */
const findPrintedResult = async (command: MgmtCommand): Promise<Schema | null> => {
  const { printedResults } = await import("./generated/printed-schemas.js");
  const subcommand = getCommandLine(command).split(" ").slice(1).join(" ");
  if (subcommand === "export") return (await import("../../../mgmt.schema.json")).default;
  return Object.entries(printedResults).find(([words]) => words === subcommand)?.[1] ?? null;
};

/** Returns the definitions that a schema refers to, directly or through other definitions. */
const collectDefinitions = (
  schema: Schema,
  definitions: Readonly<Record<string, Schema>>,
): { $defs?: Record<string, Schema> } => {
  const collectedDefinitions: Record<string, Schema> = {};
  const visit = (node: unknown): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[name];
      if (name in collectedDefinitions || !definition) continue;
      collectedDefinitions[name] = definition;
      visit(definition);
    }
  };
  visit(schema);
  return Object.keys(collectedDefinitions).length > 0 ? { $defs: collectedDefinitions } : {};
};

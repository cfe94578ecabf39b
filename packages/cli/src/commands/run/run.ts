import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

interface RunFlags {
  readonly databaseId?: string;
  readonly name?: string;
  readonly pooled?: boolean;
  readonly fresh?: boolean;
  readonly setup?: string;
  readonly setupFile?: readonly string[];
}

export const runCommand: HandwrittenCommand = {
  commandPath: "run",
  helpGroup: "machine",
  order: 50,
  summary: "Run a command with DATABASE_URL in its environment",
  description:
    "Runs a command with the connection string of a database in its environment, so that it needs no file. " +
    "Exits with the status of the command. With --fresh, the database is a new one on this machine that no service knows, and it is dropped " +
    "when the command ends.",
  examples: [
    "mgmt run -- npm test",
    'mgmt run --fresh --setup "npx prisma migrate deploy" --setup-file "prisma/**" -- pytest',
    `mgmt run --database-id ${buildExampleId(idPrefixes.database)} -- node migrate.js`,
  ],
  define: (command, context) => {
    command
      .usage("[options] -- <command...>")
      .argument("<command...>", "the command and its arguments")
      .option(
        "--database-id <id>",
        "id or name of the database to connect to; default: the default database of the project that commands use",
      )
      .option("--name <variable>", "name of the variable (default: DATABASE_URL)")
      .option("--pooled", "connect through the connection pooler")
      .option("--fresh", "use a new database on this machine, and drop it when the command ends")
      .option(
        "--setup <command>",
        "with --fresh: shell command that fills the database, whose result is kept for the next time",
      )
      .option(
        "--setup-file <pattern>",
        "with --fresh: file or pattern that the setup reads, such as prisma/**; it runs again when one changes; may be repeated",
        (pattern: string, patterns: readonly string[] = []) => [...patterns, pattern],
      )
      .passThroughOptions();
    addProjectOption(command);
    command.action(async () => {
      const { databaseId, name = "DATABASE_URL", pooled, fresh, setup, setupFile } = command.opts<RunFlags>();
      if (fresh || setup !== undefined || setupFile !== undefined) {
        const { runFresh } = await import("./run-fresh.js");
        const { projectId } = collectGlobalFlags(command);
        const others = { "--database-id": databaseId, "--pooled": pooled, "--project-id": projectId };
        return runFresh(
          { fresh, setup, setupFiles: setupFile, name, others, commandLine: command.args },
          context,
        );
      }
      const { runRun } = await import("./run-run.js");
      await runRun(
        { databaseId, name, pooled, commandLine: command.args },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};

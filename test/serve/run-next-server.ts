import { migrations } from "../../packages/cluster/src/rows/migrations.js";
import { ServeError } from "../../packages/platform/src/errors/serve-error.js";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { migrateService } from "../../packages/platform/src/serve/operator.js";

/**
 * Runs a server of the version of the program after this one: the schema of its records has more steps. The argument is its settings as
 * JSON. With a second argument, `migrate`, it only updates the records.
 */
interface NextStep {
  /** Statements on the schema `mgmt`. */
  readonly statements: readonly string[];
  readonly oldestProgram: number;
}
const nextSteps: NextStep[] = JSON.parse(process.env["MGMT_TEST_NEXT_STEPS"] ?? "[]");
for (const { statements, oldestProgram } of nextSteps)
  // The list cannot be changed otherwise.
  Array.prototype.push.call(migrations, { buildStatements: () => statements, oldestProgram });

const [, , text = "{}", command] = process.argv;
const settings: ServeSettings = JSON.parse(text);
if (command === undefined) await import("./run-server.js");
else {
  const refusal = await migrateService(settings).catch((error: unknown) => {
    if (error instanceof ServeError) return error;
    throw error;
  });
  process.stdout.write(refusal === undefined ? "migrated" : refusal.code);
}

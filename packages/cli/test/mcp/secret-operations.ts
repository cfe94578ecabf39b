import { expect } from "vitest";
import { groups } from "../../src/contract/generated/groups.js";
import { operationTools } from "../../src/mcp/generated/operation-tools.js";
import { getOperationId } from "../../src/mcp/operations.js";

/** What the calls of operations with secrets need. */
export interface SecretOperations {
  /** Ids by the names of arguments. */
  readonly ids: Readonly<Record<string, string>>;
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** Takes a backup of the database, and returns its id. */
  readonly takeBackup: () => Promise<string>;
  /** Whether the database is ready. */
  readonly isReady: () => Promise<boolean>;
}

/** Calls every operation whose result has a secret through every tool that can call it, and returns how many calls there were. */
export const callSecretOperations = async ({
  ids,
  call,
  takeBackup,
  isReady,
}: SecretOperations): Promise<number> => {
  const definitions = new Map(
    (await Promise.all(groups.map(({ load }) => load())))
      .flat()
      .map((definition) => [definition.id, definition]),
  );
  let calls = 0;
  for (const [index, tool] of operationTools.entries()) {
    if (!definitions.get(tool.operation)?.secrets) continue;
    const { properties, required = [] } = tool.inputSchema;
    const isNeeded = (name: string): boolean => name === "projectId" || required.includes(name);
    const file = tool.issuesSecrets ? { envFile: `.env.s${index}`, envName: "SECRET" } : {};
    // The second call is not a repetition of the first one.
    const again = /\.(?:restore|rotate)$/.test(tool.operation) ? { again: "second" } : {};
    const kind = tool.annotations.readOnlyHint ? "read" : "write";
    for (const isTool of [false, true]) {
      await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
      const others: Record<string, unknown> = {
        ...{ name: `n${index}`, logicalId: `l${index}`, displayName: `d${index}`, isDefault: false },
        source:
          tool.operation === "databases.restore"
            ? { type: "backup", databaseId: ids["databaseId"], backupId: await takeBackup() }
            : undefined,
      };
      const names = Object.keys(properties).filter(isNeeded);
      const args = Object.fromEntries(names.map((name) => [name, ids[name] ?? others[name]]));
      const name = isTool ? tool.name : `operation_${kind}`;
      const result = await call(
        name,
        isTool
          ? { ...args, ...file, ...again }
          : { operation: getOperationId(tool), arguments: args, ...file },
      );
      expect({ name, result }).not.toMatchObject({ result: { status: "error" } });
      calls += 1;
    }
  }
  return calls;
};

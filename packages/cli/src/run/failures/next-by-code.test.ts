import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { devCommand } from "../../commands/dev/dev.js";
import { loginCommand } from "../../commands/auth/login.js";
import { previewUpCommand } from "../../commands/preview/up.js";
import { rehearseCommand } from "../../commands/rehearse/rehearse.js";
import {
  noCredentialsError,
  noPoolerError,
  noSingleDatabaseError,
  unknownRoleError,
} from "../../errors/database-errors.js";
import { unreachableDatabaseError } from "../../errors/postgres-errors.js";
import { missingTokenError } from "../../errors/access-errors.js";
import { unknownProjectError } from "../../errors/manifest-errors.js";
import { ambiguousNameError } from "../../errors/name-errors.js";
import { listNextCommands } from "./add-next-commands.js";
import { determineExitCode, exitCodes } from "../../errors/exit-codes.js";
import { results } from "../../contract/generated/schemas.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { createSecretFile, definitions, validLine } from "../../../test/operation-examples.js";
import { commandOf, nextOf } from "../../../test/run/next-commands.js";
import { useSession } from "../../../test/terminal.js";

const secretFile = createSecretFile();
const configDir = temporaryFolder();

const session = useSession({ validateResponses: false });
/** Keeps `mgmt login` from opening a browser. */
let env: NodeJS.ProcessEnv;
beforeAll(() => void (env = { ...session.env, MGMT_CONFIG_DIR: configDir, SSH_CONNECTION: "1" }));

/** Expects that the command lines can be run as they are: none is refused as a wrong command line. */
const expectRunnable = async (lines: readonly (readonly string[])[]): Promise<void> => {
  const distinct = new Map(lines.map((line) => [line.join(" "), line]));
  for (const [text, [program, ...words]] of distinct) {
    expect(program).toBe("mgmt");
    // A service that runs until Ctrl-C: its arguments are parsed before the help is shown.
    const line = words[0] === "dev" && !words.includes("--help") ? [...words, "--help"] : words;
    const { status, stderr } = await runInProcess(line, { env });
    expect({ text, status, stderr }).toEqual({ text, status: expect.any(Number), stderr });
    expect({ text, isUsage: status === exitCodes.usage, stderr }).toEqual({ text, isUsage: false, stderr });
  }
};

describe("next of an error of the service", () => {
  /** The error codes of every operation. A rate limit and an unavailable service are retried, and tested with every command. */
  const failures = definitions.flatMap((definition) =>
    (results[definition.id]?.errors ?? [])
      .filter(({ status }) => status !== 429 && status !== 503)
      .map((error) => ({ row: definition, ...error })),
  );

  it("can be run as it is, and is not the command that failed, for every code of every operation", async () => {
    const { faults } = session.server.engine;
    const lines: string[][] = [];
    for (const { row: definition, status, code } of failures) {
      const fault = faults.add({ status, code });
      const line = validLine(definition, secretFile);
      const { errors } = await runInProcess([...line, "-o", "json"], { env });
      faults.remove(fault.id);
      expect(errors).toContainEqual({ error: expect.objectContaining({ code }) });
      const next = nextOf(errors);
      expect({ line, code, next }).toEqual({ line, code, next: expect.arrayContaining([expect.anything()]) });
      expect(next.map((words) => words.slice(1))).not.toContainEqual(line);
      lines.push(...next);
    }
    await expectRunnable(lines);
  });
});

/** Every code in the sources of the command line, the SDK and `mgmt dev`. */
const localCodes = ["cli/src", "sdk/src", "platform/src", "cluster/src"].flatMap((path) => {
  const folder = fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes("generated"))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/"([a-z_]+:[a-z_]+)"/g)].map(
        ([, code = ""]) => code,
      ),
    )
    .filter((code) => !code.startsWith("node:"));
});

describe("next of an error of the command line", () => {
  const commands = [
    commandOf(),
    { ...commandOf("login"), errors: loginCommand.errors ?? {} },
    commandOf("auth", "status"),
    { ...commandOf("dev"), errors: devCommand.errors ?? {} },
    commandOf("apply"),
    { ...commandOf("preview", "up"), errors: previewUpCommand.errors ?? {} },
    { ...commandOf("rehearse"), errors: rehearseCommand.errors ?? {} },
    {
      ...commandOf("projects", "delete"),
      args: ["shop"],
      line: ["projects", "delete", "shop"],
      accepts: ["--dry-run", "--yes"],
    },
    { ...commandOf("databases", "restore"), args: ["shop/db"], options: { sourceDatabaseId: "shop/other" } },
  ];

  it("can be run as it is, and is not the command that failed, for every code", async () => {
    const codes = [...new Set(localCodes)];
    expect(codes).toEqual(
      expect.arrayContaining(["usage:invalid", "connection:failed", "platform:port_taken"]),
    );
    const lines: (readonly string[])[] = [];
    for (const code of codes) {
      for (const command of commands) {
        const failure = { code, message: "It failed", exitCode: determineExitCode({ code }) };
        const next = await listNextCommands(failure, command, undefined);
        expect({ code, next }).toEqual({ code, next: expect.arrayContaining([expect.anything()]) });
        expect(next.map((words) => words.slice(1))).not.toContainEqual(command.line);
        lines.push(...next);
      }
    }
    await expectRunnable(lines);
  });

  it("is about mgmt dev, not about credentials, for every code of mgmt dev", async () => {
    // Those of test databases are of mgmt run --fresh.
    const codes = [...new Set(localCodes)].filter((code) => /^platform:(?!test_)/.test(code));
    expect(codes.length).toBeGreaterThan(10);
    for (const code of codes) {
      const failure = { code, message: "It failed", exitCode: determineExitCode({ code }) };
      const command = { ...commandOf("dev", "--data-dir", "data"), errors: devCommand.errors ?? {} };
      const next = await listNextCommands(failure, command, undefined);
      const groups = next.map(([, group]) => group);
      expect({ code, groups }).toEqual({ code, groups: groups.map(() => "dev") });
    }
  });

  it("can be run as it is for every exit code", async () => {
    const lines: (readonly string[])[] = [];
    for (const exitCode of Object.values(exitCodes).filter((code) => code !== 0)) {
      for (const command of commands) {
        const failure = { code: "quantum:entangled", message: "Both at once", exitCode };
        lines.push(...(await listNextCommands(failure, command, undefined)));
      }
    }
    await expectRunnable(lines);
  });

  it("can be run as it is where the error itself names the resource", async () => {
    const { id, database } = await session.server.engine.seed.project();
    const errors = [
      missingTokenError(session.server.baseUrl, false),
      missingTokenError(undefined, true),
      noCredentialsError(database?.id ?? ""),
      noPoolerError(database?.id ?? ""),
      unknownRoleError(database?.id ?? "", "nope", []),
      unreachableDatabaseError(database?.id ?? "", "it said no"),
      noSingleDatabaseError(id, []),
      noSingleDatabaseError(id, ["db_1", "db_2"]),
      unknownProjectError("nope", []),
      ambiguousNameError("branch", "main", [{ id: "br_1", label: "" }]),
    ];
    await expectRunnable(errors.flatMap(({ next = [] }) => next));
    for (const { next } of errors) expect(next?.length).toBeGreaterThan(0);
  });

  it("repeats the flags that chose the service and the credential", async () => {
    const flags = { baseUrl: session.server.baseUrl, profile: "staging", tokenFile: "token.txt" };
    const failure = { code: "project:not_found", message: "It does not exist", exitCode: 6 };
    const next = await listNextCommands(failure, { ...commandOf("projects", "get"), flags }, undefined);
    expect(next[0]).toEqual([
      ...["mgmt", "projects", "list", "--base-url", flags.baseUrl],
      ...["--profile", "staging", "--token-file", "token.txt"],
    ]);
  });

  it("never takes an argument for a flag", async () => {
    const command = {
      ...commandOf("projects", "delete"),
      args: ["--yes"],
      line: ["projects", "delete", "--", "--yes"],
    };
    const failure = { code: "project:has_dependencies", message: "It has a database", exitCode: 7 };
    expect(await listNextCommands(failure, command, undefined)).toEqual([
      ["mgmt", "projects", "delete", "--help"],
    ]);
  });

  it("names the item that failed", async () => {
    const { seed } = session.server.engine;
    const [empty, full] = [await seed.project(), await seed.project()];
    await seed.database(full.id);
    const { json } = await runInProcess(["projects", "delete", empty.id, full.id, "-y", "-o", "json"], {
      env,
    });
    expect(json).toContainEqual(
      expect.objectContaining({
        id: full.id,
        error: expect.objectContaining({
          next: expect.arrayContaining([["mgmt", "databases", "list", "--project-id", full.id]]),
        }),
      }),
    );
  });
});

import type { Fault } from "@mgmt/mock/server";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runInProcess } from "../in-process.js";
import { getOverride } from "../../src/contract/command-override.js";
import type { GeneratedCommand } from "../../src/contract/generated-command.js";
import { createSecretFile, definitions, validLine } from "../operation-examples.js";
import type { Result } from "../result.js";
import { type Session, startSession } from "../terminal.js";

const secretFile = createSecretFile();

/** What goes wrong, and how a command ends then; `create` is for commands whose request may have taken effect. */
const cases: readonly { name: string; fault: Fault; exitCode: number; create?: number }[] = [
  ...[400, 409, 413, 415, 422].map((status) => ({ name: String(status), fault: { status }, exitCode: 7 })),
  { name: "401", fault: { status: 401 }, exitCode: 4 },
  { name: "403", fault: { status: 403 }, exitCode: 5 },
  { name: "404", fault: { status: 404 }, exitCode: 6 },
  { name: "429", fault: { status: 429 }, exitCode: 9 },
  { name: "500", fault: { status: 500 }, exitCode: 1 },
  { name: "503", fault: { status: 503 }, exitCode: 9 },
  { name: "a reset connection", fault: { drop: "before" }, exitCode: 9, create: 8 },
  {
    name: "an HTML page",
    fault: { status: 200, body: "<html><body>Sign in</body></html>" },
    exitCode: 1,
    create: 8,
  },
  {
    name: "truncated JSON",
    fault: { status: 200, body: '{"data":{"id":"proj_8s2d', contentType: "application/json" },
    exitCode: 1,
    create: 8,
  },
];

/** Expects one error with a code, a hint and commands that help, as JSON, and nothing on standard output. */
const expectJsonError = (line: string, json: Result, exitCode: number): void => {
  expect({ line, status: json.status, stdout: json.stdout }).toEqual({ line, status: exitCode, stdout: "" });
  const errors = json.errors.filter((each) => "error" in each);
  expect({ line, errors }).toEqual({
    line,
    errors: [
      {
        error: expect.objectContaining({
          code: expect.stringMatching(/\S/),
          message: expect.stringMatching(/\S/),
          hint: expect.stringMatching(/\S/),
          next: expect.arrayContaining([expect.arrayContaining(["mgmt"])]),
        }),
      },
    ],
  });
};

/** Expects the same as text. */
const expectTextError = (line: string, text: Result, exitCode: number): void => {
  expect({ line, status: text.status, stdout: text.stdout }).toEqual({ line, status: exitCode, stdout: "" });
  const lines = text.stderr.split("\n");
  expect({ line, errors: lines.filter((each) => /^error: .+ \(\S+\)$/.test(each)).length }).toEqual({
    line,
    errors: 1,
  });
  expect({ line, hints: lines.filter((each) => /^hint: \S/.test(each)).length }).toEqual({ line, hints: 1 });
  expect(text.stderr).not.toMatch(/^\s+at |node:internal|<html>/m);
};

/** The commands that look up the region of a new database before they create it. */
const creators = definitions.filter(({ id }) => getOverride(id).createsDatabase);

/** Runs commands at once. Returns their results by the id of the operation. */
const runAll = async (
  env: NodeJS.ProcessEnv,
  format: "json" | "table",
  commands = definitions,
): Promise<Map<string, Result>> => {
  const runs = commands.map(async (definition): Promise<[string, Result]> => {
    const line = [...validLine(definition, secretFile), "--output", format];
    return [definition.id, await runInProcess(line, { env })];
  });
  return new Map(await Promise.all(runs));
};

/** Lets time pass by turns of the event loop, so that pauses between retries are short and a slow machine changes nothing. */
const untilDone = async <T>(work: Promise<T>): Promise<T> => {
  let isDone = false;
  const end = (): boolean => (isDone = true);
  work.then(end, end);
  while (!isDone) {
    await nextTurn();
    await vi.advanceTimersByTimeAsync(1);
  }
  return work;
};

describe("every command", () => {
  let session: Session;
  beforeAll(async () => {
    session = await startSession({ validateResponses: false });
  });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    session.server.engine.faults.clear();
  });
  afterAll(async () => {
    await session.close();
  });

  const resultOf = (results: Map<string, Result>, { id }: GeneratedCommand): Result => {
    const result = results.get(id);
    if (!result) throw new Error(`${id} was not called`);
    return result;
  };

  it.each(cases)(
    "prints one error as JSON, with a hint and what to do next: $name",
    async ({ name, fault, exitCode, create }) => {
      session.server.engine.faults.add(fault);
      // Statuses with one exit code are told apart by none of the operations, so that a third of them is enough.
      const isLikeAnother = ["400", "409", "413", "415"].includes(name);
      const called = definitions.filter(
        (_, index) => !isLikeAnother || index % 3 === cases.findIndex((other) => other.name === name) % 3,
      );
      const results = await untilDone(runAll(session.env, "json", called));
      for (const definition of called) {
        const mayHaveCreated = definition.method === "POST" && !creators.includes(definition);
        const expected = (mayHaveCreated ? create : undefined) ?? exitCode;
        expectJsonError(definition.commandPath.join(" "), resultOf(results, definition), expected);
      }
    },
  );

  it.each(cases)(
    "prints one error as JSON if only the request that creates a database fails: $name",
    async ({ fault, exitCode, create }) => {
      const operation = ["databases.create", "projects.databases.create"] as const;
      expect(creators.map(({ id }) => id).sort()).toEqual(operation);
      session.server.engine.faults.add({ ...fault, operation });
      const results = await untilDone(runAll(session.env, "json", creators));
      for (const definition of creators) {
        expectJsonError(definition.commandPath.join(" "), resultOf(results, definition), create ?? exitCode);
      }
    },
  );

  it("prints one error as text, with a hint", async () => {
    session.server.engine.faults.add({ status: 422 });
    const results = await untilDone(runAll(session.env, "table"));
    for (const definition of definitions)
      expectTextError(definition.commandPath.join(" "), resultOf(results, definition), 7);
  });

  it("prints one error as JSON when no response arrives in time", async () => {
    const { faults } = session.server.engine;
    faults.add({ latency: 2_147_483_647 });
    const running = runAll(session.env, "json");
    // The time is up only when all requests have arrived.
    while (faults.list()[0]?.struck !== definitions.length) await nextTurn();
    await vi.advanceTimersByTimeAsync(60_000);
    const results = await running;
    for (const definition of definitions)
      expectJsonError(definition.commandPath.join(" "), resultOf(results, definition), 8);
  });
});

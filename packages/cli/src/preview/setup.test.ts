import { createMemoryDatabaseEngine } from "@mgmt/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";
import {
  type FakePostgres,
  startFakePostgres,
  type StatementReply,
} from "../../test/postgres/fake-postgres.js";
import type { ProgramCall, ProgramEnd } from "../../test/recorded-programs.js";

let postgres: FakePostgres;
/** Comment of the schema in the database: null if that does not exist. */
let comment: string | null;
let locked: boolean[];
let reply: (statement: string) => StatementReply;
/** How the shell ends, and how it was called. */
let shellEnd: ProgramEnd;
let shellCalls: ProgramCall[];
beforeEach(async () => {
  [comment, locked, shellEnd, shellCalls] = [null, [], {}, []];
  reply = () => undefined;
  postgres = await startFakePostgres((statement) => {
    if (statement.includes("pg_try_advisory_lock"))
      return { column: "locked", rows: [locked.shift() ?? true] };
    if (statement.includes("obj_description"))
      return reply(statement) ?? { column: "comment", rows: comment === null ? [] : [comment] };
    return reply(statement);
  });
});
afterEach(() => postgres.close());

const databaseEngine = {
  ...createMemoryDatabaseEngine("example.test"),
  getEndpoints: () => {
    const address = { host: "127.0.0.1", port: postgres.port, database: "postgres" };
    return { direct: address, pooled: address, accelerate: address };
  },
};
const shell = (call: ProgramCall): ProgramEnd => {
  shellCalls.push(call);
  return shellEnd;
};
const { place } = useRecordedPlace({ databaseEngine, programs: { "/bin/sh": shell } });

const setup = (flag = "--timeout=5m") =>
  place.mgmt`preview up --branch a -o json ${"--setup=npm run seed"} ${flag}`;
const preview = async () => (await place.databases()).at(-1);
const doneComment = (id: string): string => `mgmt preview: the setup of ${id} has succeeded`;
const recorded = (): string[] => postgres.log.filter((statement) => statement.startsWith("create schema"));

describe("the setup of a preview", () => {
  it("runs once in a shell, with the connection string in the variable, and is recorded in the database", async () => {
    const { status, json, stderr } = await setup("--name=TEST_URL");
    expect(status, stderr).toBe(0);
    const { databaseId, connectionString } = json as Up;
    expect(json).toMatchObject({ setup: "succeeded" });
    const [call] = shellCalls;
    expect([call?.args, call?.env["TEST_URL"], call?.env["MGMT_TOKEN"]]).toEqual([
      ["-c", "npm run seed"],
      connectionString,
      undefined,
    ]);
    expect(recorded()).toEqual([expect.stringContaining(doneComment(databaseId))]);
    expect(postgres.log.at(-1)).toBe("end");
    expect(postgres.sessions.at(-1)).toMatchObject({
      options: "-c search_path=pg_catalog",
      application_name: "mgmt preview",
    });
    expect((await preview())?.name).toBe("a");
  });

  it("does not run again unless --setup-again says so", async () => {
    const { databaseId } = (await setup()).json as Up;
    comment = doneComment(databaseId);
    expect((await setup()).json).not.toHaveProperty("setup");
    const again = await place.mgmt`preview up --branch a ${"--setup=npm run seed"}`;
    expect(again.stderr).toContain("one has succeeded for the preview of a");
    expect(shellCalls).toHaveLength(1);
    expect((await setup("--setup-again")).json).toMatchObject({ setup: "succeeded" });
    expect(shellCalls).toHaveLength(2);
  });

  it.each<[string, () => void, boolean]>([
    ["does not run where somebody else's comment is", () => (comment = "mine"), false],
    [
      "does not run if its record cannot be read",
      () => (reply = () => ({ error: "denied", state: "42501" })),
      false,
    ],
  ])("%s", async (_, change, runs) => {
    change();
    const { status, stderr } = await setup();
    expect(status).toBe(0);
    expect(shellCalls).toHaveLength(runs ? 1 : 0);
    if (!runs) expect(stderr).toContain("preview:setup_unknown");
  });

  it("stays pending if it fails, until one succeeds", async () => {
    shellEnd = { status: 7 };
    const failed = await setup();
    expect(failed.status).not.toBe(0);
    expect(failed.json).toMatchObject({ setup: "failed", connectionString: expect.any(String) });
    expect(failed.stderr).toContain("preview:setup_failed");
    expect([recorded(), (await preview())?.name]).toEqual([[], "a (setup pending)"]);
    expect((await place.mgmt`preview up --branch a`).stderr).toContain("has not succeeded yet. Pass --setup");
    shellEnd = {};
    expect((await setup()).status).toBe(0);
    expect((await preview())?.name).toBe("a");
  });

  it("is recorded over another connection if the first one is lost, and says if it cannot be", async () => {
    let breaks = 1;
    reply = (statement) => (statement.startsWith("create schema") && breaks-- > 0 ? "break" : undefined);
    expect((await setup()).stderr).not.toContain("cannot be recorded");
    expect(recorded()).toHaveLength(2);
    breaks = 2;
    const { status, json, stderr } = await setup("--setup-again");
    expect({ status, json }).toMatchObject({ status: 0, json: { setup: "succeeded" } });
    expect(stderr).toContain("cannot be recorded in the database");
  });

  it("waits for that of another run, and gives up in time", async () => {
    locked = [false, true];
    const { status, stderr } = await place.mgmt`preview up --branch a --setup seed`;
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Waiting for another run"),
    });
    locked = Array.from({ length: 9 }, () => false);
    const { status: later, stderr: reason } = await setup("--timeout=200ms");
    expect(later).not.toBe(0);
    expect(reason).toContain("preview:setup_running");
    expect(shellCalls).toHaveLength(1);
  });
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Place, useRecordedPlace } from "../../test/commands/preview/place.js";

// A copy does not become ready.
const { place } = useRecordedPlace({ provisioning: 3_600_000 });

/** Resolves when a command that has created the copy waits for it: from then on it knows that the copy exists. */
const copyWaitedFor = async ({ session }: Place): Promise<void> => {
  const isWaitedFor = (): boolean => {
    const sent = session.server.engine.requests.map(({ operationId }) => operationId);
    const created = sent.indexOf("databases.create");
    return created >= 0 && sent.includes("databases.get", created);
  };
  while (!isWaitedFor()) await nextTurn();
};

/** Keeps calls of an operation waiting. Resolves when one has come. */
const hold = async (
  { session }: Place,
  operation: "databases.create" | "projects.branches.list",
): Promise<void> => {
  const { faults } = session.server.engine;
  const { id } = faults.add({ operation, latency: 3_600_000 });
  while (!faults.list().some((fault) => fault.id === id && fault.struck > 0)) await nextTurn();
};

describe("an interrupted preview", () => {
  it("says what exists and how to go on", async () => {
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "provisioning");
    const waiting = async (): Promise<void> => {
      while (!(await place.branches()).includes("a"));
    };
    const early = await place.mgmtIn(
      place.folder,
      {},
      { interrupt: waiting() },
    )`preview up --branch a -o json`;
    expect(early.status).toBe(130);
    expect(early.errors[0]).toMatchObject({
      notice: {
        code: "preview:interrupted",
        message: expect.stringContaining("without a database"),
        next: [
          ["mgmt", "preview", "up", "--branch", "a"],
          ["mgmt", "preview", "down", "--branch", "a"],
        ],
      },
    });
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "ready");
    const late = await place.mgmtIn(
      place.folder,
      {},
      { interrupt: copyWaitedFor(place) },
    )`preview up --branch a`;
    expect(late.status).toBe(130);
    const [, copy] = await place.databases();
    expect(late.stderr).toContain(`Database ${copy?.id ?? ""} of a exists`);
    expect(late.stderr).toContain("mgmt preview down deletes what exists");
  });

  it("says that its creation may have happened, and what was deleted before", async () => {
    const { faults, states } = place.session.server.engine;
    const up = await place.mgmtIn(
      place.folder,
      {},
      { interrupt: hold(place, "databases.create") },
    )`preview up --branch a`;
    expect(up.stderr).toContain("and its database may have been created");
    faults.clear();
    await place.mgmtIn(place.folder, {}, { interrupt: copyWaitedFor(place) })`preview up --branch a`;
    const [, copy] = await place.databases();
    const id = copy?.id ?? "";
    await states.setDatabaseStatus(id, "ready");
    const reset = await place.mgmtIn(
      place.folder,
      {},
      { interrupt: hold(place, "databases.create") },
    )`preview reset --branch a --yes`;
    expect(reset.status, reset.stderr).toBe(8);
    expect(reset.stderr).toContain(`Database ${id} was deleted. `);
    expect(reset.stderr).toContain("its database may have been created");
  });

  it("says nothing if it had changed nothing, or failed by itself", async () => {
    const { faults } = place.session.server.engine;
    const interrupt = hold(place, "projects.branches.list");
    const early = await place.mgmtIn(place.folder, {}, { interrupt })`preview up --branch a`;
    expect(early).toMatchObject({ status: 130, stderr: expect.not.stringContaining("preview down") });
    faults.clear();
    faults.add({ operation: "databases.create", status: 422 });
    const failed = await place.mgmt`preview up --branch a`;
    expect(failed.status).not.toBe(0);
    expect(failed.stderr).not.toContain("mgmt preview down deletes");
  });
});

import { describe, expect, it, vi } from "vitest";
import { type EnsureDatabase, InternalServerError, TimeoutError } from "@mgmt/sdk";
import { useEnsureClient } from "../../test/ensure/ensure-client.js";

const world = useEnsureClient();

describe("databases.ensure", () => {
  const body = async (): Promise<EnsureDatabase> => {
    const { id: projectId } = await world.client.projects.create({ createDatabase: false });
    return { projectId, logicalId: "orders" };
  };
  const namesOf = async (databaseId: string) =>
    (await world.client.databases.connections.list(databaseId).toArray()).map(({ name }) => name);

  it("creates a connection for a database that it creates, and none for one that exists", async () => {
    const wanted = await body();
    const first = await world.client.databases.ensure(wanted);
    if (!first.created) throw new Error("It existed already.");
    expect(first.resource).not.toHaveProperty("connectionString");
    expect(first.connection.database.id).toBe(first.resource.id);
    expect(first.connection.connectionString).toMatch(/^postgres:/);
    const second = await world.client.databases.ensure(wanted);
    expect(second).toEqual({ created: false, resource: expect.objectContaining({ id: first.resource.id }) });
    expect(await namesOf(first.resource.id)).toEqual(["default", "mgmt"]);
  });

  it("creates no connection on request", async () => {
    const { created, resource, ...credentials } = await world.client.databases.ensure(await body(), {
      credentials: false,
    });
    expect({ created, credentials }).toEqual({ created: true, credentials: {} });
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("creates no connection if the response to the create was lost", async () => {
    world.server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    const { created, resource } = await world.client.databases.ensure(await body());
    expect(created).toBe(false);
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("throws if the connection cannot be created, and returns the database the next time", async () => {
    const wanted = await body();
    world.server.engine.faults.add({ operation: "connections.create", status: 500, times: 1 });
    await expect(world.client.databases.ensure(wanted)).rejects.toBeInstanceOf(InternalServerError);
    const { created, resource } = await world.client.databases.ensure(wanted);
    expect(created).toBe(false);
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("creates the connection within its deadline, and stops when the caller aborts", async () => {
    world.server.engine.faults.add({ operation: "connections.create", latency: 10_000 });
    const wanted = await body();
    await expect(world.client.databases.ensure(wanted, { timeoutMs: 300 })).rejects.toBeInstanceOf(
      TimeoutError,
    );
    world.server.engine.faults.clear();
    world.server.engine.faults.add({ operation: "connections.create", latency: 10_000, times: 1 });
    const caller = new AbortController();
    const reason = new Error("enough");
    const aborted = world.client.databases.ensure(
      { ...wanted, logicalId: "other" },
      { signal: caller.signal },
    );
    await vi.waitFor(() => expect(world.server.engine.faults.hasFaults).toBe(false));
    caller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
  });
});

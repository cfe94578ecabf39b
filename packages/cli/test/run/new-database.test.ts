import { afterEach, describe, expect, it } from "vitest";
import { useSession } from "../terminal.js";

const session = useSession();
afterEach(() => session.server.engine.faults.clear());

interface Printed {
  id: string;
  status: string;
  connection?: { id: string; name: string; connectionString: string };
}

describe("databases create", () => {
  it("creates a connection, and prints the database with it", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    const { status, stderr, json } = await mgmt`databases create reports --project-id ${id} --wait -o json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const printed = json as Printed;
    expect(printed).toMatchObject({ name: "reports", status: "ready", connection: { name: "mgmt" } });
    expect(printed.connection?.connectionString).toMatch(/^postgres:/);
    const { connections } = server.engine.rows;
    expect(connections.get(printed.connection?.id ?? "")?.databaseId).toBe(printed.id);
  });

  it("prints the database if the connection cannot be created, and how to create it", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    server.engine.faults.add({ operation: "connections.create", status: 500 });
    const { status, stdout, errors } = await mgmt`databases create reports --project-id ${id} -o json`;
    expect(status).toBe(1);
    const printed = JSON.parse(stdout) as Printed;
    expect(printed).not.toHaveProperty("connection");
    const next = `mgmt connections create mgmt --database-id ${printed.id}`;
    expect(errors).toContainEqual({
      error: expect.objectContaining({
        code: "credentials:not_created",
        message: expect.stringContaining(`${printed.id} was created, but its connection was not`),
        hint: expect.stringContaining(next),
      }),
    });
    server.engine.faults.clear();
    const created = await mgmt`connections create mgmt --database-id ${printed.id} -o json`;
    expect(created.json).toMatchObject({ connectionString: expect.stringMatching(/^postgres:/) });
  });

  it("does not wait if the connection cannot be created", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    server.engine.faults.add({ operation: "connections.create", drop: "before" });
    const before = server.engine.requests.length;
    const { status, stdout } = await mgmt`databases create reports --project-id ${id} --wait -o json`;
    expect(status).not.toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "reports", status: "provisioning" });
    const operations = server.engine.requests.slice(before).map(({ operationId }) => operationId);
    expect(operations).not.toContain("databases.get");
  });

  it("creates no connection if the database is refused", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const { status } = await mgmt`databases create reports --project-id proj_none -o json`;
    expect(status).toBe(6);
    expect(server.engine.requests.slice(before).map(({ operationId }) => operationId)).toEqual([
      "projects.get",
      "databases.create",
    ]);
  });
});

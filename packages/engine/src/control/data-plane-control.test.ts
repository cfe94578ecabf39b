import { describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";
import { ConnectionFaults } from "./connection-faults.js";
import type { DataPlane } from "./data-plane-control.js";

const open = () => {
  const faults = new ConnectionFaults({ random: () => 0, findDatabaseName: (id) => id });
  const dataPlane: DataPlane = {
    faults,
    connectionLimit: 5,
    reset: () => {
      faults.clear();
      dataPlane.connectionLimit = 5;
    },
  };
  return { dataPlane, server: new MemoryServer({ deterministic: "data plane", dataPlane }) };
};

describe("the control of connections", () => {
  it("installs and removes faults of databases that exist", async () => {
    const { dataPlane, server } = open();
    const { database } = await server.seed.project();
    const id = database?.id ?? "";
    const fault = server.dataPlane.addFault({ database: id.replace("db_", ""), effect: "drop" });
    const common = server.dataPlane.addFault({ effect: "refuse" });
    expect(fault).toMatchObject({ database: id });
    expect(() => server.dataPlane.addFault({ database: "db_none", effect: "drop" })).toThrow(
      expect.objectContaining({ status: 404, message: "The database db_none does not exist" }),
    );
    expect(() => server.dataPlane.addFault({ database: 5 as never, effect: "drop" })).toThrow(TypeError);
    expect(server.dataPlane.listFaults()).toEqual([fault, common]);
    server.dataPlane.removeFault(fault.id);
    expect(() => server.dataPlane.removeFault(fault.id)).toThrow(
      `The connection fault ${fault.id} does not exist`,
    );
    server.dataPlane.removeAllFaults();
    expect(dataPlane.faults.list()).toEqual([]);
  });

  it.each([0, 7, null])("sets the limit %s, until a reset", async (limit) => {
    const { dataPlane, server } = open();
    server.dataPlane.setConnectionLimit(limit);
    expect(dataPlane.connectionLimit).toBe(limit);
    server.dataPlane.addFault({ effect: "drop" });
    await server.reset();
    expect([dataPlane.connectionLimit, dataPlane.faults.list()]).toEqual([5, []]);
  });

  it.each([-1, 1.5, NaN, Infinity, "5", undefined])("refuses the limit %j", (limit) => {
    const { dataPlane, server } = open();
    expect(() => server.dataPlane.setConnectionLimit(limit as number)).toThrow(
      "connections must be a whole number",
    );
    expect(dataPlane.connectionLimit).toBe(5);
  });

  it("says that there are none where databases are not real, and resets nothing", async () => {
    const server = new MemoryServer();
    const { dataPlane } = server;
    for (const act of [
      () => dataPlane.listFaults(),
      () => dataPlane.addFault({ effect: "drop" }),
      () => dataPlane.removeFault("a"),
      () => dataPlane.removeAllFaults(),
      () => dataPlane.setConnectionLimit(1),
    ])
      expect(act).toThrow(
        expect.objectContaining({ status: 404, hint: expect.stringContaining("mgmt dev") }),
      );
    await server.reset();
  });
});

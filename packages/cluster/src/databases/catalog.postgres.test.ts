import { describe, expect, it } from "vitest";
import { Cluster } from "../../../platform/test/cluster.js";

const cluster = new Cluster();

describe("usage", () => {
  it("counts the bytes and transactions of the database", async () => {
    const { id, credential } = await cluster.makeTenant();
    const before = await cluster.databases.readUsage(id);
    const client = await cluster.connect(id, credential);
    await client.query("create table filled as select generate_series(1, 50000) as id");
    await client.end();
    await expect
      .poll(async () => (await cluster.databases.readUsage(id)).operations, { timeout: 20_000 })
      .toBeGreaterThan(before.operations);
    expect((await cluster.databases.readUsage(id)).bytes).toBeGreaterThan(before.bytes + 1_000_000);
  });
});

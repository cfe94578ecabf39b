import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenRecords } from "../../src/store/open-records.js";
import { StoreCluster } from "./store-cluster.js";

const cluster = new StoreCluster();
let records: OpenRecords;

beforeAll(async () => (records = await cluster.openRecords(cluster.newSchema())));
afterAll(() => records.close());

describe("the session of a process", () => {
  it("runs one statement at a time, because the driver supports no more", async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", listen);
    const names = Array.from({ length: 20 }, (_, index) => `database ${String(index)}`);
    const done = await Promise.all(
      names.map((name) => records.sessions.exclusively([name], () => Promise.resolve(name))),
    );
    expect(done).toEqual(names);
    // Node.js emits warnings later.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });

  it("continues after a statement that fails", async () => {
    const ids = await records.sessions.living([await records.sessions.current()]);
    expect(ids.size).toBe(1);
    // Postgres does not accept this character in a text.
    await expect(records.sessions.living(["\0"])).rejects.toThrow();
    expect(await records.sessions.living([...ids])).toEqual(ids);
  });
});

import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chooseEphemeralParent } from "../../../src/machine/data-dir/directories.js";
import { type Platform, startPlatform } from "@mgmt/platform";
import { temporaryDirectory } from "../../cluster.js";

let directory: string;
const running: Platform[] = [];

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
});
afterEach(async () => {
  for (const platform of running.splice(0)) await platform.stop();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const original = (): string => join(directory, "original");
const copy = (): string => join(directory, "copy");

const start = async (dataDir: string): Promise<Platform> => {
  const platform = await startPlatform({ dataDir, port: 0 });
  running.push(platform);
  return platform;
};

/** Returns the port in the connection string of a new connection. */
const databasePort = async ({ ready }: Platform): Promise<string> => {
  const response = await fetch(`${ready.baseUrl}/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { data } = (await response.json()) as { data: { database: { connectionString: string } } };
  return new URL(data.database.connectionString).port;
};

describe("a copied data directory", () => {
  it("runs beside the original on a port of its own, and keeps it", async () => {
    const first = await start(original());
    const port = await databasePort(first);
    await running.pop()?.stop();
    await cp(original(), copy(), { recursive: true });

    expect(await databasePort(await start(original()))).toBe(port);
    const copyPort = await databasePort(await start(copy()));
    expect(copyPort).not.toBe(port);
    await running.pop()?.stop();
    expect(await databasePort(await start(copy()))).toBe(copyPort);
  });

  it("says that the original was in use, not that the copy is", async () => {
    await start(original());
    await rm(copy(), { recursive: true, force: true });
    await cp(original(), copy(), { recursive: true, filter: (path) => !/\.s\.PGSQL|\.pipe$/.test(path) });
    await expect(start(copy())).rejects.toMatchObject({
      code: "platform:data_dir_in_use",
      message: expect.stringContaining("was copied while mgmt dev"),
      hint: expect.stringContaining("copy its data directory again"),
    });
    await expect(start(original())).rejects.toMatchObject({
      message: expect.stringContaining("is using"),
    });
  });
});

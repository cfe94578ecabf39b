import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@mgmt/sdk";
import { describe, expect, it } from "vitest";
import type { Ready } from "@mgmt/platform";
import { finalStatus } from "../api.js";
import { Platforms } from "../platform-process.js";
import { killAll, postmasterPid } from "../processes.js";

const platforms = new Platforms();

/** Milliseconds between the moment when Postgres accepts connections and its end. */
const delays = [0, 20, 50, 100, 200];

describe("a start during which Postgres is killed", () => {
  it("succeeds, and has the databases of the last run", async () => {
    const dataDir = join(platforms.directory, "data");
    const cluster = join(dataDir, "postgres");
    const first = await platforms.start({ dataDir });
    const { database } = await clientOf(first.ready).projects.create({ name: "shop" });
    const id = database?.id ?? "";
    expect(await finalStatus(first.ready, id)).toBe("ready");
    await first.end("SIGTERM");
    for (const delay of delays) {
      const starting = platforms.start({ dataDir });
      await untilReady(cluster);
      await sleep(delay);
      killAll([await postmasterPid(cluster)]);
      const platform = await starting;
      expect(await clientOf(platform.ready).databases.get(id)).toMatchObject({ id, status: "ready" });
      await platform.end("SIGTERM");
    }
  });
});

const clientOf = ({ baseUrl, token }: Ready) =>
  createClient({ baseUrl, token, maxRetries: 50, timeoutMs: 100_000 });

/** Resolves when the Postgres of a cluster accepts connections. */
const untilReady = async (cluster: string): Promise<void> => {
  for (;;) {
    const content = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
    if (/^ready/m.test(content)) return;
    await sleep(2);
  }
};

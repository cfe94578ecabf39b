import { dirname, join } from "node:path";
import { createClient } from "@mgmt/sdk";
import { describe, expect, it } from "vitest";
import { finalStatus } from "../api.js";
import { Platforms } from "../platform-process.js";
import { killAll, postmasterPid } from "../processes.js";

const platforms = new Platforms();

/** Milliseconds between a request and the end of Postgres. */
const delays = [0, 5, 10, 15, 20, 30, 40, 60];

describe("a deletion during which Postgres is killed", () => {
  it("succeeds, whether it had taken effect or not", async () => {
    const { ready } = await platforms.start({ ephemeral: true });
    const cluster = join(dirname(ready.controlSecretFile), "postgres");
    const client = createClient({
      baseUrl: ready.baseUrl,
      token: ready.token,
      maxRetries: 50,
      timeoutMs: 100_000,
    });
    const project = await client.projects.create({ name: "shop", createDatabase: false });
    for (const delay of delays) {
      const { id } = await client.databases.create({ projectId: project.id, region: "eu-central-1" });
      expect(await finalStatus(ready, id)).toBe("ready");
      const postmaster = await postmasterPid(cluster);
      const deletion = client.databases.delete(id);
      await new Promise((resolve) => setTimeout(resolve, delay));
      killAll([postmaster]);
      await deletion;
      await expect(client.databases.get(id)).rejects.toMatchObject({
        status: 404,
      });
      expect((await client.databases.list().toArray()).map((each) => each.id)).not.toContain(id);
    }
  });
});

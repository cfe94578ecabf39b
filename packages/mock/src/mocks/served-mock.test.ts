import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { createClient } from "@mgmt/sdk";
import { minute, signUp } from "../../test/client/sign-up.js";

describe("a client of a mock that is reached over HTTP", () => {
  let server: RunningServer;
  beforeEach(async () => {
    server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: minute / 2 } } } });
  });
  afterEach(() => server.close(0));

  it("moves the clock where another client waits", async () => {
    const { engine } = server;
    engine.faults.add({ operation: "projects.create", status: 503, times: 2 });
    const start = engine.clock.now();
    expect(await signUp(engine.client())).toMatchObject({ status: "ready" });
    // The two refusals ask for a second each.
    expect(engine.clock.now() - start).toBeGreaterThanOrEqual(minute / 2 + 2_000);
  });

  it("uses the same resources as those who send requests over HTTP", async () => {
    const { id } = await server.engine.client().projects.create({ name: "shop" });
    const token = () => server.engine.tokens.user();
    const { baseUrl } = server;
    expect((await createClient({ baseUrl, token }).projects.get(id)).name).toBe("shop");
    expect(server.engine.clientOptions().baseUrl).toBe(baseUrl);
  });

  it("ends with an error that names the cause when the server is closed under a wait", async () => {
    const client = server.engine.client();
    const { database } = await client.projects.create({ name: "shop" });
    const wait = client.databases.waitUntilReady(database?.id ?? "", { onProgress: () => server.close(0) });
    await expect(wait).rejects.toMatchObject({
      code: "connection:failed",
      cause: { code: "mock:closed", message: expect.stringContaining("before you close the mock") },
    });
  });

  it("works again when the engine is started again", async () => {
    const client = server.engine.client();
    await server.engine.stop();
    await expect(client.me.get()).rejects.toMatchObject({ cause: { code: "mock:closed" } });
    server.engine.start();
    expect((await client.me.get()).user?.id).toBe(server.engine.defaults.user.id);
  });
});

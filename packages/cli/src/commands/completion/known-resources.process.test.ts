import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { run } from "../../../test/terminal.js";

describe("known resources", () => {
  const folder = temporaryFolder();
  beforeAll(ensureBuilt);

  it("are read from a slow service in the background, for the next time", async () => {
    const responses: ServerResponse[] = [];
    const server = createServer((_, response) => responses.push(response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const env = {
      MGMT_BASE_URL: `http://127.0.0.1:${address.port}`,
      MGMT_TOKEN: "t",
      MGMT_CONFIG_DIR: join(folder, "slow"),
    };
    const complete = () => run(["complete", "--", "projects", "get", ""], { env });
    expect(await complete()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const background = async (): Promise<boolean> => {
      for (const response of responses.splice(0)) {
        response.setHeader("content-type", "application/json");
        response.end(
          '{"data":[{"id":"proj_1","name":"shop"}],"pagination":{"nextCursor":null,"hasMore":false}}',
        );
      }
      return readFileSync(join(folder, "slow", "completion.json"), "utf8").includes("shop");
    };
    await expect.poll(background, { timeout: 60_000 }).toBe(true);
    expect((await complete()).stdout).toBe("shop\nproj_1\n");
    expect(responses).toEqual([]);
    server.close();
  });

  it("are none, without an error, if the service cannot be reached or nobody is logged in", async () => {
    const unreachable = {
      MGMT_BASE_URL: "http://127.0.0.1:1",
      MGMT_TOKEN: "t",
      MGMT_CONFIG_DIR: join(folder, "none"),
    };
    for (const env of [unreachable, {}]) {
      const result = await runInProcess(["complete", "--", "projects", "get", ""], { env });
      expect(result).toMatchObject({ status: 0, stdout: "", stderr: "" });
    }
  });
});

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { startSession } from "../../../test/terminal.js";

describe("known resources", () => {
  const folder = temporaryFolder();

  it("are completed by name and by id, also while the service is stopped", async () => {
    const { server, env: access, close } = await startSession();
    const { id } = await server.engine.seed.project({ name: "shop" });
    const env = { ...access, MGMT_CONFIG_DIR: join(folder, "live") };
    const complete = async (...words: string[]) =>
      (await runInProcess(["complete", "--", ...words], { env })).stdout.split("\n").filter(Boolean);
    // On a busy machine the service may be slower than a shell may wait.
    await runInProcess(["complete", "--refresh", "--", "projects", "get", ""], { env });
    expect(await complete("projects", "get", "")).toEqual(["shop", id]);
    expect(await complete("databases", "list", "--project-id=sh")).toEqual(["--project-id=shop"]);
    expect(await complete("api", "GET", "/v1/projects/")).toEqual([`/v1/projects/${id}`]);
    expect(await complete("api", "projects/")).toEqual([`projects/${id}`]);
    expect(await complete("link", "--project-id=")).toEqual([`--project-id=${id}`]);
    expect(await complete("export", "x", "")).toEqual([id]);
    expect(await complete("config", "set", "project-id", "")).toEqual([id]);
    expect(await complete("projects", "delete", "shop", "proj_")).toEqual([id]);
    const requests = server.engine.requests.length;
    await complete("projects", "get", "");
    expect(server.engine.requests).toHaveLength(requests);
    await close();
    expect(await complete("projects", "get", "sh")).toEqual(["shop"]);
    const cache = readFileSync(join(folder, "live", "completion.json"), "utf8");
    expect(cache).not.toContain(access["MGMT_TOKEN"]);
    expect(statSync(join(folder, "live", "completion.json")).mode & 0o777).toBe(0o600);
  });
});

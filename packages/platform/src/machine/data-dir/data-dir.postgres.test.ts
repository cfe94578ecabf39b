import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createRecordKeyList } from "@mgmt/cluster/rows/record-keys";
import { startPlatform } from "@mgmt/platform";
import { describe, expect, it, vi } from "vitest";
import { failure, root, start, useRoot } from "../../../test/data-dirs.js";
import { call, control, makeProject, query, finalStatus } from "../../../test/api.js";

useRoot();

describe("a persistent data directory", () => {
  it("preserves projects, data, connection strings, token and URLs between runs", async () => {
    const first = await start("kept");
    const { id, database } = await makeProject(first.ready);
    await query(database.connectionString, "create table notes as select 'kept' as text");
    const backup = await control(first.ready, "POST", `/databases/${database.id}/backups`);
    await first.stop();
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });

    const second = await start("kept");
    const { controlSecretFile, ...same } = first.ready;
    expect(second.ready).toMatchObject(same);
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
    expect((await call(second.ready, "GET", `/v1/projects/${id}`)).id).toBe(id);

    const source = { type: "backup", databaseId: database.id, backupId: backup.id };
    const copy = await call(second.ready, "POST", `/v1/projects/${id}/databases`, { source });
    expect(await finalStatus(second.ready, copy.id)).toBe("ready");
    expect(await query(copy.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
    await second.stop();
    expect(await readdir(join(root, "kept"))).not.toContain("platform.lock");
    await expect(stat(controlSecretFile)).resolves.toBeTruthy();
  });

  it("preserves the port of its connection strings and its certificates", async () => {
    const { postgres } = JSON.parse(await readFile(join(root, "kept", "platform.json"), "utf8"));
    expect(postgres.directPort).not.toBe(postgres.port);
    const certificate = await readFile(join(root, "kept", "tls", "ca.pem"), "utf8");

    const platform = await start("kept");
    const { database } = await makeProject(platform.ready);
    expect(new URL(database.connectionString).port).toBe(String(postgres.port));
    expect(platform.ready.postgresPort).not.toBe(postgres.port);
    expect(await readFile(platform.ready.caFile, "utf8")).toBe(certificate);
    await platform.stop();
  });

  it("uses another direct port when the last one is in use", async () => {
    const manifest = JSON.parse(await readFile(join(root, "kept", "platform.json"), "utf8"));
    const { port, directPort } = manifest.postgres;
    const other = createServer().listen(directPort, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const platform = await start("kept");
    expect(platform.ready.postgresPort).not.toBe(directPort);
    const { database } = await makeProject(platform.ready);
    expect(new URL(database.connectionString).port).toBe(String(port));
    await platform.stop();
    await new Promise((resolve) => other.close(resolve));
  });

  it("makes secrets readable by its owner only", async () => {
    const names = [
      "platform.json",
      "token",
      "control-secret",
      "record-keys",
      "postgres.log",
      "tls/server-key.pem",
    ];
    for (const name of names) {
      expect([name, (await stat(join(root, "kept", name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect((await stat(join(root, "kept", "postgres"))).mode & 0o777).toBe(0o700);
    expect((await readdir(join(root, "kept"))).filter((name) => name.includes("state"))).toEqual([]);
  });

  it("returns to the state of the first start on reset, with the same token and workspace", async () => {
    const first = await start("reset");
    await first.stop();
    const second = await start("reset");
    const { database } = await makeProject(second.ready);
    await control(second.ready, "POST", "/reset", {});
    expect(await call(second.ready, "GET", "/v1/projects")).toEqual([]);
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({ code: "28P01" });
    await second.stop();
    const third = await start("reset");
    expect(third.ready).toMatchObject({ token: first.ready.token, workspaceId: first.ready.workspaceId });
    expect(await call(third.ready, "GET", "/v1/projects")).toEqual([]);
    await third.stop();
  });

  it("gets a new token after the old one was deleted", async () => {
    const first = await start("kept");
    const { data } = await (
      await fetch(`${first.ready.baseUrl}/v1/workspaces/${first.ready.workspaceId}/service-tokens`, {
        headers: { authorization: `Bearer ${first.ready.token}` },
      })
    ).json();
    await call(
      first.ready,
      "DELETE",
      `/v1/workspaces/${first.ready.workspaceId}/service-tokens/${data[0].id}`,
    );
    await first.stop();
    const second = await start("kept");
    expect(second.ready.token).not.toBe(first.ready.token);
    await call(second.ready, "GET", "/v1/projects");
    await second.stop();
  });

  it("reports which port is in use: the one of the API or the one of the connection strings", async () => {
    const manifest = JSON.parse(await readFile(join(root, "kept", "platform.json"), "utf8"));
    const taken = async (port: number, work: () => Promise<void>): Promise<void> => {
      const other = createServer().listen(port, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      await work();
      await new Promise((resolve) => other.close(resolve));
    };
    await taken(manifest.port, async () => {
      expect(await failure("kept", manifest.port)).toMatchObject({ code: "platform:port_taken" });
      const elsewhere = await start("kept");
      expect(elsewhere.ready.baseUrl).not.toContain(`:${String(manifest.port)}`);
      await elsewhere.stop();
    });
    await taken(manifest.postgres.port, async () => {
      const error = await failure("kept");
      expect(error.code).toBe("platform:port_taken");
      expect(error.message).toContain(`Port ${String(manifest.postgres.port)}`);
    });
  });
});

describe("another first key of the records", () => {
  it("encrypts all secrets after a start, whose log says that the old key is not needed", async () => {
    const first = await start("rotated");
    const { database } = await makeProject(first.ready);
    await first.stop();
    const file = join(root, "rotated", "record-keys");
    const [oldKeys, newKey] = [await readFile(file, "utf8"), createRecordKeyList()];
    await writeFile(file, newKey + oldKeys);

    const lines: string[] = [];
    const onLog = (line: string): void => void lines.push(line);
    const second = await startPlatform({ port: 0, dataDir: join(root, "rotated"), onLog });
    await vi.waitFor(() => expect(lines).toEqual([expect.stringContaining(`the first key in ${file}, so`)]));
    await second.stop();
    await writeFile(file, newKey);
    const third = await start("rotated");
    expect(await query(database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    await call(third.ready, "GET", "/v1/projects");
    await third.stop();
    await writeFile(file, oldKeys);
    expect(await failure("rotated")).toMatchObject({ code: "platform:record_keys_unknown" });
  });
});

describe("a data directory in use", () => {
  it("is refused with the id of the process that uses it, which keeps running", async () => {
    const first = await start("in-use");
    const error = await failure("in-use");
    expect(error.code).toBe("platform:data_dir_in_use");
    expect(error.message).toContain(String(process.pid));
    await call(first.ready, "GET", "/v1/projects");
    await first.stop();
  });
});

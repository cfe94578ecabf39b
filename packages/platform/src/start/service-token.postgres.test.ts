import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureServiceToken } from "./service-token.js";
import { StoreCluster } from "../../../cluster/test/rows/store-cluster.js";
import { StoredProcess } from "../../../cluster/test/rows/stored-process.js";

const cluster = new StoreCluster();

let directory: string;
let path: string;
let server: StoredProcess;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mgmt-service-token-"));
  path = join(directory, "token");
  server = await StoredProcess.open(cluster, cluster.newSchema());
});
afterEach(() => rm(directory, { recursive: true }));

const issue = () => ensureServiceToken(server.engine, path);

const tokens = async () =>
  (await server.engine.read(({ store }) => store.serviceTokens.list({}))).map(({ id, name, valueHint }) => ({
    ...{ id, name, valueHint },
  }));

const createToken = async (workspaceId: string, name: string): Promise<string> => {
  const { status, data } = await server.send("workspaces.serviceTokens.create", {
    path: { workspaceId },
    body: { name },
  });
  expect(status).toBe(201);
  return data.id;
};

const deleteToken = async (workspaceId: string, serviceTokenId: string): Promise<void> => {
  const { status } = await server.send("workspaces.serviceTokens.delete", {
    path: { workspaceId, serviceTokenId },
  });
  expect(status).toBe(204);
};

describe("the service token of the ready line", () => {
  it("is the same after a restart, although newer tokens exist", async () => {
    const first = await issue();
    await createToken(first.workspaceId, "ci");
    expect(await issue()).toEqual(first);
    expect(await readFile(path, "utf8")).toBe(first.token);
  });

  it("is a new one when its own was deleted, and leaves the tokens of users as they are", async () => {
    const { workspaceId, token } = await issue();
    const [own] = await tokens();
    await createToken(workspaceId, "ci");
    await deleteToken(workspaceId, own?.id ?? "");
    const [ci] = await tokens();
    const issued = await issue();
    expect(issued.token).not.toBe(token);
    expect(await tokens()).toEqual([
      ci,
      { id: expect.any(String) as string, name: "default", valueHint: issued.token.slice(-4) },
    ]);
    await deleteToken(workspaceId, ci?.id ?? "");
    expect((await server.send("me.get", { token: issued.token })).status).toBe(200);
    expect(await issue()).toEqual(issued);
  });

  it("is the stored one when an older one has the same name", async () => {
    const { workspaceId } = await issue();
    const newer = await createToken(workspaceId, "default");
    const token = await server.engine.tokens.service({ serviceTokenId: newer });
    await writeFile(path, token);
    expect(await issue()).toEqual({ token, workspaceId });
  });

  it.each(["iss", "aud"])("is issued again when the stored one has another %s", async (claim) => {
    const { token, workspaceId } = await issue();
    const [header = "", claims = "", signature = ""] = token.split(".");
    const changedClaims = {
      ...JSON.parse(Buffer.from(claims, "base64url").toString()),
      [claim]: "https://x.test",
    };
    const encodedClaims = Buffer.from(JSON.stringify(changedClaims)).toString("base64url");
    await writeFile(path, [header, encodedClaims, signature].join("."));
    const issued = await issue();
    expect(issued.workspaceId).toBe(workspaceId);
    expect((await server.send("me.get", { token: issued.token })).status).toBe(200);
  });

  it.each(["", "no token", "e30.e30.e30", "a.bnVsbA.c"])(
    "is issued again when the file has %j",
    async (text) => {
      await issue();
      await writeFile(path, text);
      const { token } = await issue();
      expect(await readFile(path, "utf8")).toBe(token);
      expect(await tokens()).toHaveLength(1);
      expect((await server.send("me.get", { token })).status).toBe(200);
    },
  );
});

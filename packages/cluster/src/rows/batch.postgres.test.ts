import { cliClient } from "@mgmt/engine";
import { describe, expect, it } from "vitest";
import { challenge, verifier } from "../../../engine/test/oauth/oauth-api.js";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess } from "../../test/rows/stored-process.js";

const cluster = new StoreCluster();

/** More rows than a step has runs to load them one after the other. */
const many = Array.from({ length: 1_100 }, (_, index) => String(index));

const redirectUri = "http://127.0.0.1:51234/callback";

/** Sends a request to the token endpoint. Returns the refresh token. */
const exchange = async ({ engine }: StoredProcess, form: Record<string, string>): Promise<string> => {
  const { status, body } = await engine.handle({
    method: "POST",
    path: "/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: cliClient.id, ...form }).toString(),
  });
  const { refresh_token: token } = JSON.parse(body ?? "") as { refresh_token?: string };
  expect([status, typeof token]).toEqual([200, "string"]);
  return token ?? "";
};

const logIn = async (process: StoredProcess): Promise<string> => {
  const scope = "workspace:admin offline_access";
  const { code } = await process.engine.oauth.consent({ redirectUri, scope, codeChallenge: challenge });
  return exchange(process, {
    ...{ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier },
  });
};

describe("a request whose changes concern many rows", () => {
  it("logs in and refreshes after many logins have expired, which further requests delete", async () => {
    const process = await StoredProcess.open(cluster, cluster.newSchema());
    const grants = (): Promise<number> => process.engine.read(({ store }) => store.grants.size);
    await process.engine.write([], ({ store }) => {
      for (const name of many) {
        store.grants.insert(sampleRows.grants(`grant${name}`));
        store.refreshTokens.insert(sampleRows.refreshTokens(`token${name}`, { grantId: `grant${name}` }));
      }
    });
    const token = await logIn(process);
    const left = await grants();
    expect(left).toBeLessThan(many.length);
    await exchange(process, { grant_type: "refresh_token", refresh_token: token });
    expect(await grants()).toBeLessThan(left);
  });

  it("transfers a project with many databases, and their connections", async () => {
    const process = await StoredProcess.open(cluster, cluster.newSchema());
    const { engine } = process;
    const { workspace, otherWorkspace } = await engine.readDefaults();
    const project = await engine.seed.project({ name: "shop" });
    await engine.write([], ({ store }) => {
      for (const name of many) {
        const owner = { workspaceId: workspace.id, projectId: project.id };
        store.databases.insert(sampleRows.databases(`db${name}`, owner));
        const connection = { workspaceId: workspace.id, databaseId: `db${name}` };
        store.connections.insert(sampleRows.connections(`con${name}`, connection));
      }
    });
    const recipientAccessToken = await engine.tokens.otherUser();
    const path = { id: project.id };
    const { status } = await process.send("projects.transfer", { path, body: { recipientAccessToken } });
    expect(status).toBe(204);
    const owners = await engine.read(({ store }) =>
      [store.databases, store.connections].map((rows) => rows.count({ workspaceId: otherWorkspace.id })),
    );
    expect(owners.every((count) => count >= many.length)).toBe(true);
  });
});

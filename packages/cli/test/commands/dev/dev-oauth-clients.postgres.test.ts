import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../bin.js";
import { temporaryFolder } from "../../folders.js";
import { runInProcess } from "../../in-process.js";

const folder = temporaryFolder();
beforeAll(ensureBuilt);

const configFolder = (): string => mkdtempSync(join(folder, "config-"));

describe("mgmt dev --oauth-client", () => {
  it("registers the clients of --oauth-client, under their ids with and without prefix", async () => {
    const clients = [
      ["--oauth-client", "clpublishedprogram=http://localhost/auth/callback"],
      ["--oauth-client", "itgr_clpublishedprogram=com.example.app:/callback,https://app.example/callback"],
    ].flat();
    const statuses: number[] = [];
    const args = ["dev", "--ephemeral", "--port", "0", "--output", "json", ...clients];
    const { status, stderr } = await runInProcess(args, {
      env: { MGMT_CONFIG_DIR: configFolder() },
      interruptWhen: async (line) => {
        // The tests of `mgmt dev` assert the shape of the line.
        const { authUrl } = JSON.parse(line) as Record<string, string>;
        for (const [client_id, redirect_uri] of [
          ["clpublishedprogram", "http://localhost:51234/auth/callback"],
          ["itgr_clpublishedprogram", "com.example.app:/callback"],
          ["clpublishedprogram", "https://app.example/callback"],
          ["clpublishedprogram", "https://other.example/callback"],
          ["clotherprogram", "http://localhost:51234/auth/callback"],
        ] as const) {
          const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
          const query = new URLSearchParams({
            response_type: "code",
            client_id,
            redirect_uri,
            scope: "workspace:admin",
            ...challenge,
          });
          statuses.push((await fetch(`${String(authUrl)}/authorize?${String(query)}`)).status);
        }
        return true;
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
  });

  it.each([
    ["clprogram", "has no ="],
    ["=http://localhost/callback", "has no client id"],
    ["clprogram=", "has an empty redirect URI"],
    ["clprogram=http://localhost/callback,", "has an empty redirect URI"],
  ])("refuses --oauth-client %s before it starts anything", async (value, problem) => {
    const result = await runInProcess(["dev", "--ephemeral", "--oauth-client", value, "-o", "json"]);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "usage:invalid_value",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("ID=REDIRECT_URI"),
      },
    });
  });

  it.each([
    ["clprogram=http://app.example/callback", "is http, which only localhost"],
    ["my program=https://app.example/callback", "is not a client id"],
    ["mgmtsamplewebapplication=https://app.example/callback", "is confidential"],
  ])("stops with one error when --oauth-client %s cannot be registered", async (value, problem) => {
    const args = ["dev", "--ephemeral", "--port", "0", "--oauth-client", value, "-o", "json"];
    const result = await runInProcess(args);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "platform:invalid_oauth_client",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("redirect URIs"),
      },
    });
  });
});

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fileStore } from "@mgmt/sdk/auth/node";
import { bundleForBrowser, programOptions, setupBuilds } from "../build.js";
import { json, startServer } from "../server.js";
import { credentialFor, startFaultServer } from "./fault-server.js";
import { makeFolder } from "./folders.js";

const { bundle } = setupBuilds();

const kilobyte = 1024;

describe("the cost of auth", () => {
  it("adds nothing for programs that have a token", async () => {
    const { text, later } = await bundleForBrowser(`
      import { createClient } from "@mgmt/sdk";
      console.log(await createClient({ baseUrl: "https://api.example.com", token: "x" }).me.get());
    `);
    expect([text, ...later].join("")).not.toMatch(/auth:login_required|code_challenge|refresh_token/);
  });

  it("adds at most 6.5 KB of gzip in a browser, and 10 KB for the protocol when a login starts or is refreshed", async () => {
    const { text, size, later } = await bundleForBrowser(`
      export { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
    `);
    expect(text).not.toMatch(/(?:from|import)\s*\(?\s*"node:|require\(/);
    expect(size).toBeLessThanOrEqual(6.5 * kilobyte);
    const protocol = later.find((each) => each.includes("OAUTH_RESPONSE_IS_NOT_CONFORM")) ?? "";
    expect(text).not.toContain("OAUTH_RESPONSE_IS_NOT_CONFORM");
    expect(gzipSync(protocol, { level: 9 }).length).toBeGreaterThan(kilobyte);
    expect(gzipSync(protocol, { level: 9 }).length).toBeLessThanOrEqual(10 * kilobyte);
  });

  it("loads neither the protocol nor fetch for a program whose stored token is valid", async () => {
    const service = await startServer((_, response) => json(response, 200, { data: { id: "x" } }));
    const file = join(await makeFolder(), "credentials.json");
    await fileStore(file).write(credentialFor({ baseUrl: "https://auth.example.com" }, 3600));
    const library = join(await makeFolder(), "library.cjs");
    await writeFile(library, 'throw new Error("The OAuth library was loaded");');
    const program = await bundle(
      `
      import { createClient } from "@mgmt/sdk";
      import { createAuthenticator } from "@mgmt/sdk/auth";
      import { fileStore, loginWithLoopback } from "@mgmt/sdk/auth/node";
      import { nodeTransport } from "@mgmt/sdk/node";
      for (const name of ["fetch", "Request", "Response", "Headers"]) {
        Object.defineProperty(globalThis, name, { get() { throw new Error(name + " was touched"); } });
      }
      const [baseUrl, file] = process.argv.slice(2);
      const transport = nodeTransport();
      const store = fileStore(file);
      const oauth = { authUrl: "https://auth.example.com", clientId: "app", transport, store };
      const client = createClient({ baseUrl, transport, token: createAuthenticator(oauth).token });
      console.log((await client.projects.get("x")).id, typeof loginWithLoopback);
    `,
      { alias: { ...programOptions("").alias, oauth4webapi: library }, external: [] },
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl, file]);
    expect(stdout).toBe("x function\n");
    expect(service.seen[0]?.headers.authorization).toBe("Bearer access-0");
  });

  it("leaves nothing behind that keeps the process alive", async () => {
    const auth = await startFaultServer();
    const file = join(await makeFolder(), "credentials.json");
    await fileStore(file).write(credentialFor(auth, 100));
    const program = await bundle(`
      import { createAuthenticator } from "@mgmt/sdk/auth";
      import { fileStore } from "@mgmt/sdk/auth/node";
      const [authUrl, file] = process.argv.slice(2);
      const { token } = createAuthenticator({ authUrl, clientId: "app", store: fileStore(file) });
      console.log(await token());
    `);
    const { stdout } = await promisify(execFile)(process.execPath, [program, auth.baseUrl, file]);
    expect(stdout).toBe("access-0\n");
    // The refresh in the background was neither interrupted nor awaited longer than it took.
    expect(await fileStore(file).read()).toMatchObject({ accessToken: "access-1" });
  });
});

describe("the CommonJS build", () => {
  it("logs in, refreshes and logs out, and its errors are known to the ES module", async () => {
    const auth = await startFaultServer();
    const file = join(await makeFolder(), "credentials.json");
    const source = `
      import { createAuthenticator, finishLogin, logout, startLogin } from "@mgmt/sdk/auth";
      import { fileStore } from "@mgmt/sdk/auth/node";
      const [authUrl, file] = process.argv.slice(2);
      const store = fileStore(file);
      const oauth = { authUrl, clientId: "app", store };
      const main = async () => {
        const { attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
        await finishLogin({ ...oauth, attempt, callback: { code: "code-1" } });
        const { token } = createAuthenticator(oauth);
        console.log(await token(), await token({ rejected: "access-1" }));
        await logout(oauth);
        await token().catch((error) => console.log(error.name, error.code));
      };
      main();
    `;
    const program = await bundle(source, { format: "cjs" });
    const { stdout } = await promisify(execFile)(process.execPath, [program, auth.baseUrl, file]);
    expect(stdout).toBe("access-1 access-2\nLoginRequiredError auth:login_required\n");
  });
});

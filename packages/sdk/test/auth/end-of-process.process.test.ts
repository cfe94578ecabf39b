import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { fileStore } from "@mgmt/sdk/auth/node";
import { setupBuilds } from "../build.js";
import { credentialFor, startFaultServer } from "./fault-server.js";
import { makeFolder } from "./folders.js";

const { bundle } = setupBuilds();

it("a process ends by itself after a login, and after it refreshed in the background", async () => {
  const auth = await startFaultServer();
  const file = join(await makeFolder(), "credentials.json");
  await fileStore(file).write(credentialFor(auth, 100));
  const source = `
    import { createAuthenticator, finishLogin, memoryStore, startLogin } from "@mgmt/sdk/auth";
    import { fileStore } from "@mgmt/sdk/auth/node";
    const [authUrl, file] = process.argv.slice(2);
    const main = async () => {
      const login = { authUrl, clientId: "app", store: memoryStore() };
      const { attempt } = await startLogin({ ...login, redirectUri: "http://127.0.0.1/callback" });
      await finishLogin({ ...login, attempt, callback: { code: "code-1" } });
      console.log(process.getActiveResourcesInfo().filter((name) => name === "Timeout"));
      console.log(await createAuthenticator({ ...login, store: fileStore(file) }).token());
    };
    main();
  `;
  const program = await bundle(source, { format: "cjs" });
  const { stdout } = await promisify(execFile)(process.execPath, [program, auth.baseUrl, file]);
  expect(stdout).toBe("[]\naccess-0\n");
  // The refresh in the background was neither interrupted nor awaited longer than it took.
  expect(await fileStore(file).read()).toMatchObject({ accessToken: "access-2" });
});

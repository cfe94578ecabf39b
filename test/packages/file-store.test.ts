import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { root } from "../../scripts/generate/contract/contract.js";

// The build replaces expressions of the sources, so that tests of the sources do not show whether the built store works.
it.each([
  ["module", "await import", "node.js"],
  ["commonjs", "require", "node.cjs"],
])("writes and reads a login with the built file store: %s", async (type, load, file) => {
  const path = join(temporaryFolder(), "login.json");
  const credential = { issuer: "https://auth.example.com", clientId: "app", accessToken: "secret" };
  const program = `
    const { fileStore } = ${load}(${JSON.stringify(join(root, "packages/sdk/dist/auth", file))});
    const store = fileStore(${JSON.stringify(path)});
    store.write(${JSON.stringify({ ...credential, scopes: [] })})
      .then(() => store.read())
      .then(({ clientId }) => console.log(clientId));`;
  const words = [`--input-type=${type}`, "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout).toBe("app\n");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(credential);
});

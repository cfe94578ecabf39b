import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

// The build replaces expressions of the sources, so that tests of the sources do not show whether the built store works.
it.each([
  { format: "an ES module", words: ["--input-type=module"], load: "await import", file: "node.js" },
  { format: "CommonJS", words: ["--input-type=commonjs"], load: "require", file: "node.cjs" },
])("writes and reads a login with the built file store: $format", async ({ words, load, file }) => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-file-store-"));
  try {
    const path = join(folder, "login.json");
    const credential = { issuer: "https://auth.example.com", clientId: "app", accessToken: "secret" };
    const program = `
      const { fileStore } = ${load}(${JSON.stringify(join(root, "packages/sdk/dist/auth", file))});
      const store = fileStore(${JSON.stringify(path)});
      store.write(${JSON.stringify({ ...credential, scopes: [] })})
        .then(() => store.read())
        .then(({ clientId }) => console.log(clientId));`;
    const { stdout } = await promisify(execFile)(process.execPath, [...words, "--eval", program]);
    expect(stdout).toBe("app\n");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(credential);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

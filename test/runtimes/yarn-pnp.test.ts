import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { run } from "./example.js";
import { npm } from "./npm.js";
import { tools } from "./tools.js";

const installed = inject("installed");
const cwd = join(installed, "yarn-pnp");
const yarn = (...words: string[]): Promise<string> =>
  run(process.execPath, [join(tools, "@yarnpkg/cli-dist/bin/yarn.js"), ...words], { cwd });

describe("the packed packages with Yarn Plug'n'Play", () => {
  beforeAll(async () => {
    await mkdir(cwd);
    await cp(join(installed, "platform.mjs"), join(cwd, "platform.mjs"));
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      await readFile(join(installed, "package.json"), "utf8"),
    );
    // The packages depend on each other by versions that no registry has.
    const packed = Object.entries(dependencies).filter(([, version]) => version.startsWith("file:"));
    const manifest = { private: true, dependencies, resolutions: Object.fromEntries(packed) };
    await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
    await writeFile(join(cwd, "yarn.lock"), "");
    const settings = {
      nodeLinker: "pnp",
      enableTelemetry: false,
      enableScripts: false,
      enableImmutableInstalls: false,
      npmRegistryServer: npm(cwd, "config", "get", "registry").trim(),
    };
    // YAML contains JSON.
    await writeFile(join(cwd, ".yarnrc.yml"), JSON.stringify(settings));
    await yarn("install");
  }, 600_000);

  it("serve a database from the command line", async () => {
    expect(await yarn("node", "platform.mjs")).toMatch(/^all is so$/m);
  });

  it("store a login in a file", async () => {
    const program = `
      import { fileStore } from "@mgmt/sdk/auth/node";
      const store = fileStore("login.json");
      await store.write({ issuer: "https://auth.example.com", clientId: "app", accessToken: "first", scopes: [] });
      const reserved = await store.reserve();
      await reserved.write({ issuer: "https://auth.example.com", clientId: "app", accessToken: "second", scopes: [] });
      await reserved.release();
      console.log((await store.read()).accessToken);
    `;
    await writeFile(join(cwd, "store.mjs"), program);
    expect(await yarn("node", "store.mjs")).toMatch(/^second$/m);
  });
});

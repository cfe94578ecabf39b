import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { libraries } from "../../tsup.config.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Target {
  types: string;
  default: string;
}
interface Manifest {
  main: string;
  types: string;
  typesVersions?: { "*": Record<string, string[]> };
  exports: Record<string, string | Target | { import: Target; require: Target }>;
}

/** Returns the target for TypeScript's `moduleResolution: node10`, which ignores `exports`. */
const legacyTargetOf = (value: Manifest["exports"][string] | undefined): Target => {
  if (value === undefined || typeof value === "string") throw new Error("The entry has no types");
  return "require" in value ? value.require : value;
};

describe.each(libraries)("@mgmt/$name", ({ name }) => {
  const folder = `${root}packages/${name}`;
  const manifest: Manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const typed = Object.entries(manifest.exports).filter(([, target]) => typeof target === "object");

  it("describes each entry for resolvers that do not read `exports`", () => {
    const main = legacyTargetOf(manifest.exports["."]);
    expect({ types: manifest.types, default: manifest.main }).toEqual(main);
    const subpaths = typed
      .filter(([subpath]) => subpath !== ".")
      .map(([subpath, target]) => [subpath.slice("./".length), [legacyTargetOf(target).types]]);
    expect(manifest.typesVersions?.["*"] ?? {}).toEqual(Object.fromEntries(subpaths));
  });

  it("has declarations that do not depend on the conditional imports of the package", () => {
    const files = readdirSync(`${folder}/dist`, { recursive: true, encoding: "utf8" });
    const declarations = files.filter((file) => /\.d\.c?ts$/.test(file));
    expect(declarations.length).toBeGreaterThan(0);
    for (const file of declarations)
      expect(readFileSync(`${folder}/dist/${file}`, "utf8")).not.toMatch(/from ['"]#/);
  });

  it("names only files that the build writes", () => {
    const files = JSON.stringify(manifest).match(/\.\/dist\/[^"]+/g) ?? [];
    expect(files.filter((file) => !existsSync(`${folder}/${file}`))).toEqual([]);
  });
});

const bundle = async (entry: string, platform: "browser" | "node", conditions: string[]): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${entry}";`, resolveDir: root },
    bundle: true,
    format: "esm",
    platform,
    conditions,
    tsconfigRaw: {},
    write: false,
    logLevel: "silent",
  });
  return outputFiles.map(({ text }) => text).join("\n");
};

describe("the SDK", () => {
  it.each([["edge-light"], ["workerd", "worker"], ["worker"], ["browser"]])(
    "uses no module of Node.js in a bundle with the conditions %s",
    async (...conditions) => {
      for (const entry of ["@mgmt/sdk", "@mgmt/sdk/partial", "@mgmt/sdk/auth"]) {
        expect(await bundle(entry, "browser", conditions)).not.toMatch(/["']node:|getBuiltinModule/);
      }
    },
  );

  it("publishes traces in a bundle for Node.js", async () => {
    expect(await bundle("@mgmt/sdk", "node", [])).toContain("node:diagnostics_channel");
  });
});

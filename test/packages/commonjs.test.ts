import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { commonJsEntriesOf, libraries } from "../../tsup.config.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const entries = libraries.flatMap((library) =>
  commonJsEntriesOf(library).map((entry) => `packages/${library.name}/dist/${entry}.cjs`),
);

describe.each(entries)("%s", (entry) => {
  it("loads CommonJS files only, including those that it loads on demand", async () => {
    const { metafile, warnings } = await build({
      absWorkingDir: root,
      entryPoints: [entry],
      bundle: true,
      platform: "node",
      // Those of CommonJS Jest. Any custom condition removes esbuild's own `module`.
      conditions: ["node-addons"],
      mainFields: ["main"],
      // Without the paths of this repository, which lead to its sources.
      tsconfigRaw: {},
      // `debug` does without it, and test runners load themselves.
      external: ["supports-color", "vitest", "@jest/globals", "@playwright/test"],
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const loaded = Object.entries(metafile.inputs);
    expect(loaded.filter(([, { format }]) => format === "esm").map(([path]) => path)).toEqual([]);
    expect(
      loaded.flatMap(([path, { imports }]) =>
        imports.filter(({ kind }) => kind === "dynamic-import").map((found) => `${path}: ${found.path}`),
      ),
    ).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("exports values that a test can replace by spies", () => {
    const code = readFileSync(join(root, entry), "utf8");
    expect(code).toMatch(/^exports\.\w+ = /m);
    // Modules that the build contains are indented.
    expect(code).not.toMatch(/^Object\.defineProperty\(exports/m);
  });
});

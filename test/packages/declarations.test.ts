import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** Returns the packages and modules of Node.js that a built declaration imports, alone or by the files that it imports. */
const modulesReachedFrom = (entry: string): string[] => {
  const files = new Set([entry]);
  const modules = new Set<string>();
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
    for (const { fileName } of importedFiles) {
      if (!fileName.startsWith(".")) modules.add(fileName);
      else files.add(join(dirname(file), fileName.replace(/\.([cm]?)js$/, ".d.$1ts")));
    }
  }
  return [...modules].sort();
};

describe("the declarations", () => {
  // Those that MSW has since 2.12 for CommonJS import an ES module, which compilers refuse. Who needs no MSW also need not install it.
  it.each([
    ["index", ["@mgmt/sdk", "msw"]],
    ["server", ["@mgmt/sdk", "node:http"]],
    ["vitest", ["@mgmt/sdk", "msw", "vitest"]],
    ["jest", ["@mgmt/sdk", "node:http"]],
    ["playwright", ["@mgmt/sdk", "@playwright/test", "node:http"]],
  ])("of the mock import only what its users need: %s", (entry, modules) => {
    for (const extension of ["d.ts", "d.cts"])
      expect(modulesReachedFrom(join(root, `packages/mock/dist/${entry}.${extension}`))).toEqual(modules);
  });

  it("that a page loads need no types of Node.js", async () => {
    const files = ["sdk/dist/index", "sdk/dist/auth/index", "sdk/dist/partial", "mock/dist/browser"].map(
      (file) => join(root, `packages/${file}.d.ts`),
    );
    const folder = await mkdtemp(join(tmpdir(), "mgmt-declarations-"));
    try {
      const compilerOptions = {
        ...{ strict: true, noEmit: true, skipDefaultLibCheck: true },
        ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [] },
        ...{ module: "ESNext", moduleResolution: "Bundler" },
      };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      const compiler = join(root, "node_modules/@typescript/native/bin/tsc");
      // It prints errors on standard output.
      const errors = await promisify(execFile)(process.execPath, [compiler, "--project", folder]).then(
        ({ stdout }) => stdout,
        (error: { stdout?: string }) => error.stdout || String(error),
      );
      expect(errors).toBe("");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

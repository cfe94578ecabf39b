import { readFile } from "node:fs/promises";
import { describe, expect, inject, it } from "vitest";

/**
 * The parts of the tools' results that the test reads. The tools are installed on demand, so the compiler
 * does not see them.
 */
interface Publint {
  publint(options: { pack: { tarball: ArrayBuffer }; strict: boolean }): Promise<{ messages: unknown[] }>;
}
interface AreTheTypesWrong {
  createPackageFromTarballData(tarball: Uint8Array): unknown;
  checkPackage(from: unknown): Promise<{
    types: false | { kind: string };
    problems: { kind: string; resolutionKind?: string; entrypoint?: string }[];
  }>;
}

const load = (name: string): Promise<unknown> =>
  import(new URL(`node_modules/${name}`, import.meta.url).href);
const tarballs = Object.entries(inject("tarballs"));

/** Entry points that are ES modules alone, by package. TypeScript refuses to `require` them with `module: node16`. */
const modulesOnly: Readonly<Record<string, readonly string[]>> = {
  // Pages, and the tests in them, load ES modules alone.
  "@mgmt/mock": ["./browser", "./vitest-browser"],
  // Node.js 20.19 loads ES modules with `require` too. Jest does not.
  "@mgmt/platform": [".", "./serve", "./vitest", "./playwright", "./node-test", "./test-databases"],
};

describe.each(tarballs)("%s", (name, file) => {
  it("passes publint without a suggestion", async () => {
    const { publint } = (await load("publint/src/index-node.js")) as Publint;
    const { buffer } = new Uint8Array(await readFile(file));
    expect((await publint({ pack: { tarball: buffer }, strict: true })).messages).toEqual([]);
  });

  it("has the types that Node and bundlers load, according to arethetypeswrong", async () => {
    const tool = (await load("@arethetypeswrong/core/dist/index.js")) as AreTheTypesWrong;
    const { types, problems } = await tool.checkPackage(
      tool.createPackageFromTarballData(await readFile(file)),
    );
    if (name === "@mgmt/cli") return expect(types).toBe(false);
    const expected = (modulesOnly[name] ?? []).map((entrypoint) => ({
      kind: "CJSResolvesToESM",
      entrypoint,
      resolutionKind: "node16-cjs",
    }));
    expect(problems).toEqual(expected);
  });
});

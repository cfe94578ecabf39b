import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { tools } from "./installed.js";

const installed = inject("installed");
const versions = ["5.4", "5.5", "5.6", "5.7", "5.8", "5.9", "6.0", "7.0"];

interface Project {
  name: string;
  files: string[];
  options: Record<string, unknown>;
}

const projects: Project[] = [
  {
    name: "ES modules and CommonJS on Node",
    files: ["server-side.mts", "server-side.cts", "test-with-mock.mts"],
    options: { module: "NodeNext", types: ["node"], resolveJsonModule: true },
  },
  {
    name: "a bundled page, without the types of Node",
    files: ["web.ts"],
    options: { module: "ESNext", moduleResolution: "Bundler", types: [] },
  },
];

const folderOf = (project: Project): string => join(installed, `types-${String(projects.indexOf(project))}`);

beforeAll(async () => {
  for (const project of projects) {
    const folder = folderOf(project);
    await mkdir(folder);
    // One source for both: `.cts` files are written as `.mts`.
    for (const file of project.files) {
      const source = file.endsWith(".cts") ? `${parse(file).name}.mts` : file;
      await cp(join(installed, "types", source), join(folder, file));
    }
    const compilerOptions = {
      ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], noEmit: true },
      // As strict as possible, including our declarations and those of the dependencies, but not the
      // compiler's own.
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        skipDefaultLibCheck: true,
      },
      ...{ isolatedModules: true, verbatimModuleSyntax: false, ...project.options },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: project.files }));
  }
});

/** Returns the output of the compiler; empty on success. */
const compile = async (version: string, project: Project): Promise<string> => {
  const compiler = join(tools, `typescript-${version}`, "bin/tsc");
  return promisify(execFile)(process.execPath, [compiler, "-p", folderOf(project)]).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
};

describe.concurrent.each(versions)("on TypeScript %s the packed packages", (version) => {
  it("are compiled by that version", async ({ expect }) => {
    const words = [join(tools, `typescript-${version}`, "bin/tsc"), "--version"];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(new RegExp(`^Version ${version.replace(".", "\\.")}\\.`));
  });

  it.each(projects)("have types without an error, that refuse what is wrong: $name", async (project) => {
    expect(await compile(version, project)).toBe("");
  });
});

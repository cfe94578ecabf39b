import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { tools } from "./tools.js";

const installed = inject("installed");
const versions = ["5.4", "5.5", "5.6", "5.7", "5.8", "5.9", "6.0", "7.0"];

interface Project {
  name: string;
  files: string[];
  options: Record<string, unknown>;
  /** Whether version 7 rejects the options. */
  isLegacy?: boolean;
  /** A package whose own declarations have errors, which are not compared. */
  faulty?: string;
}

const projects: Project[] = [
  {
    name: "ES modules and CommonJS on Node",
    files: ["server-side.mts", "server-side.cts", "test-with-mock.mts", "narrowing.mts", "options.mts"],
    options: { module: "NodeNext", types: ["node"], resolveJsonModule: true },
  },
  {
    name: "CommonJS with moduleResolution node16",
    files: ["server-side.cts"],
    options: { module: "Node16", types: ["node"] },
  },
  {
    name: "a CommonJS test with the mock",
    files: ["test-in-process.cts"],
    options: { module: "Node16", types: ["node"] },
    // Its declarations for CommonJS import an ES module.
    faulty: "msw",
  },
  {
    name: "CommonJS with moduleResolution node10",
    files: ["server-side.ts"],
    options: { module: "CommonJS", moduleResolution: "node10", types: ["node"], esModuleInterop: true },
    isLegacy: true,
  },
  {
    name: "a server with moduleResolution bundler",
    files: ["server-side.ts"],
    options: { module: "ESNext", moduleResolution: "Bundler", types: ["node"] },
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
    // One source for all module systems.
    for (const file of project.files) {
      const source = file === "web.ts" ? file : `${parse(file).name}.mts`;
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

interface Compiled {
  /** Version of the compiler. */
  version: string;
  /** The errors of each project, as text. */
  errors: string[];
}

/** Compiles projects in one process, which is several times faster than a process for each. */
const compile = async (version: string, compiled: readonly Project[]): Promise<Compiled> => {
  const files = compiled.map((project) => join(folderOf(project), "tsconfig.json"));
  const words = [join(installed, "types/compile.cjs"), join(tools, `typescript-${version}`), ...files];
  return JSON.parse((await promisify(execFile)(process.execPath, words)).stdout);
};

/** TypeScript 7 has no interface for programs. */
const compileByCommand = async (version: string, compiled: readonly Project[]): Promise<Compiled> => {
  const run = (...words: string[]): Promise<string> =>
    promisify(execFile)(process.execPath, [join(tools, `typescript-${version}`, "bin/tsc"), ...words]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
  const errors = [];
  for (const project of compiled) errors.push(await run("-p", folderOf(project)));
  return { version: (await run("--version")).replace("Version ", ""), errors };
};

describe.each(versions)("on TypeScript %s the packed packages", (version) => {
  const supported = projects.filter(({ isLegacy }) => !(isLegacy && version === "7.0"));
  let compiled: Compiled;
  // Ten seconds of work, on a machine that may be slow and busy.
  beforeAll(async () => {
    compiled = await (version === "7.0" ? compileByCommand : compile)(version, supported);
  }, 600_000);

  it("are compiled by that version", () => {
    expect(compiled.version).toMatch(new RegExp(`^${version.replace(".", "\\.")}\\.`));
  });

  it.each(supported)("have types without an error, that refuse what is wrong: $name", (project) => {
    const errors = compiled.errors[supported.indexOf(project)] ?? "it was not compiled";
    const { faulty } = project;
    const isCompared = (error: string): boolean =>
      faulty === undefined || !error.includes(`/node_modules/${faulty}/`);
    expect(errors.split("\n").filter(isCompared).join("\n")).toBe("");
  });
});

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { aliases } from "../../vitest.config.js";

/** The test files for a source by how they run, in groups that run one after the other. Paths from the root. */
export interface RelatedTests {
  /** Those in the folder of the source or that import it, then the others that reach it. */
  readonly memory: readonly (readonly string[])[];
  /** Tests of its package. They run what was built, so their imports do not say what they reach. */
  readonly processes: readonly (readonly string[])[];
  readonly postgres: readonly (readonly string[])[];
}

/** Reads the imports of all sources and tests below a root. */
export const readRelatedTests = (root: string): { of: (source: string) => RelatedTests } => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(root, file)));
  const importersByFile = new Map<string, string[]>();
  for (const file of files) {
    for (const imported of importsOf(root, file)) {
      importersByFile.set(imported, [...(importersByFile.get(imported) ?? []), file]);
    }
  }
  const of = (source: string): RelatedTests => {
    const reached = new Set([source]);
    for (const file of reached) for (const importer of importersByFile.get(file) ?? []) reached.add(importer);
    const isNear = (test: string): boolean =>
      dirname(test) === dirname(source) || (importersByFile.get(source) ?? []).includes(test);
    const tests = files.filter((file) => file.endsWith(".test.ts"));
    const inMemory = tests.filter((test) => !/\.(process|postgres)\.test\.ts$/.test(test));
    const ofPackage = tests.filter((test) => test.startsWith(`${source.split("/", 2).join("/")}/`));
    return {
      memory: [inMemory.filter(isNear), inMemory.filter((test) => reached.has(test) && !isNear(test))],
      processes: [ofPackage.filter((test) => test.endsWith(".process.test.ts"))],
      postgres: [ofPackage.filter((test) => test.endsWith(".postgres.test.ts"))],
    };
  };
  return { of };
};

const importsOf = (root: string, file: string): string[] =>
  ts
    .preProcessFile(readFileSync(join(root, file), "utf8"), true, true)
    .importedFiles.flatMap(({ fileName }) => {
      if (fileName.startsWith(".")) return [resolve("/", dirname(file), fileName).slice(1)];
      const alias = aliases.find(({ find }) =>
        typeof find === "string" ? find === fileName : find.test(fileName),
      );
      const repository = resolve(import.meta.dirname, "../..");
      return alias ? [relative(repository, fileName.replace(alias.find, alias.replacement))] : [];
    })
    .map((path) => path.replace(/\.js$/, ".ts"));

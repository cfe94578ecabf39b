import { readFileSync, readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../scripts/generate/contract/contract.js";

const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Manifest {
  description: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = (example: string, file: string): string =>
  readFileSync(join(root, "examples", example, file), "utf8");
const filesOf = (example: string): string[] =>
  readdirSync(join(root, "examples", example), { recursive: true, encoding: "utf8" });
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

it.each(examples)("declares the packages that it imports: %s", (example) => {
  const manifest = JSON.parse(read(example, "package.json")) as Manifest;
  expect(manifest.description).toBeTruthy();
  const sources = filesOf(example).filter((file) => /\.[jt]s$/.test(file));
  const specifiers = sources.flatMap((file) =>
    [...read(example, file).matchAll(/ from "([^"]+)"/g)].map(([, specifier = ""]) => specifier),
  );
  const imported = specifiers
    .filter((specifier) => !/^(?:\.|node:)/.test(specifier) && !builtinModules.includes(specifier))
    .map(packageOf);
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(imported.filter((name) => !declared.includes(name))).toEqual([]);
});

it.each(examples)("names files that exist in its scripts: %s", (example) => {
  const { scripts = {} } = JSON.parse(read(example, "package.json")) as Manifest;
  const files = filesOf(example);
  for (const command of Object.values(scripts)) {
    const [file] = command.match(/[\w-]+\.(?:[jt]s|sh)\b/) ?? [];
    if (file !== undefined) expect(files).toContain(file);
  }
});

it.each(examples)("has a README that is linked from the list of examples: %s", (example) => {
  const { scripts = {} } = JSON.parse(read(example, "package.json")) as Manifest;
  const readme = read(example, "README.md");
  const commands = [...readme.matchAll(/^npm (?:run )?(start|test|[\w-]+)/gm)].map(([, name = ""]) => name);
  const unknown = commands.filter((name) => name !== "install" && !(name in scripts));
  expect({ unknown, isLinked: read(".", "README.md").includes(`(${example}/README.md)`) }).toEqual({
    unknown: [],
    isLinked: true,
  });
});

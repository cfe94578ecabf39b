import { readFileSync, readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";

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
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

it.each(examples)("declares the packages that it imports: %s", (example) => {
  const manifest = JSON.parse(read(example, "package.json")) as Manifest;
  expect(manifest.description).toBeTruthy();
  const sources = readdirSync(join(root, "examples", example)).filter((file) => file.endsWith(".ts"));
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
  const files = readdirSync(join(root, "examples", example));
  for (const command of Object.values(scripts)) {
    const [file] = command.match(/[\w-]+\.(?:ts|sh)\b/) ?? [];
    if (file !== undefined) expect(files).toContain(file);
  }
});

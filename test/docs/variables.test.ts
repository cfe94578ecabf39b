import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commandVariables,
  serveVariables,
  type VariableDeclaration,
  type EnvironmentVariable,
} from "../../packages/internal/src/environment/variables.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { pages } from "./markdown.js";

const read = (file: string): string => readFileSync(join(root, file), "utf8");

const packageNames = readdirSync(join(root, "packages"));
const declaration = "packages/internal/src/environment/variables.ts";

const sources = packageNames
  .map((name) => `packages/${name}/src`)
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes("/generated/") && file !== declaration);

const declared: readonly string[] = [
  ...Object.keys({ ...commandVariables, ...serveVariables }),
  "MGMT_MOCK_CONTROL_SECRET" satisfies EnvironmentVariable,
];

const flags = Object.entries<VariableDeclaration>({ ...commandVariables, ...serveVariables }).flatMap(
  ([name, { flag }]) => (flag === undefined ? [] : [[name, flag] as const]),
);

/** Names of our environment variables in a text. Markdown escapes underscores. */
const variablesIn = (text: string): string[] =>
  text.replaceAll("\\_", "_").match(/(?<!\w)MGMT_[A-Z_]*[A-Z](?!\w)/g) ?? [];

describe("an environment variable", () => {
  it.each([
    ["the sources of the packages", sources],
    ["the pages", pages],
  ])("is declared if its name is in %s", (_, files) => {
    const named = files.flatMap((file) => variablesIn(read(file)).map((name) => ({ file, name })));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ name }) => !declared.includes(name))).toEqual([]);
  });

  it.each(declared)("is read by a source: %s", (name) => {
    expect(sources.some((file) => read(file).includes(`"${name}"`))).toBe(true);
  });

  it("has the flag whose help names it", () => {
    const named = pages
      .filter((page) => page.startsWith("docs/cli/"))
      .flatMap((page) => [...read(page).matchAll(/^\| `(--[\w-]+) <.*\(or (MGMT[\w\\]+)/gm)])
      .map(([, flag, name = ""]) => [name.replaceAll("\\", ""), flag]);
    expect(new Set(named.map(([name]) => name)).size).toBe(11);
    expect(flags).toEqual(expect.arrayContaining(named));
  });

  it("has the flag that the guide has beside it", () => {
    const rows = [
      ...read("docs/guides/command-line.md").matchAll(/\| `(--[\w-]+)` +\| `(MGMT_\w+)` +\|/g),
    ].map(([, flag, name]) => [name, flag]);
    expect(rows.length).toBe(6);
    expect(flags).toEqual(expect.arrayContaining(rows));
  });
});

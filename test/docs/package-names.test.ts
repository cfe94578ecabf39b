import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { pages } from "./markdown.js";

/** Commands of this repository, whose names on the registry are not ours. */
const commands = "mgmt(?:-mock)?";
const runners = String.raw`npx|npm exec|pnpx|pnpm dlx|yarn dlx|bunx|bun x`;
const installs = String.raw`(?:npm|pnpm|yarn|bun) (?:install|i|add)`;

/**
 * Finds commands that ask the registry for a package with the name of a command: `npx mgmt`, also with flags before it, and
 * `npm install mgmt`. With `--package`, `npx` takes the command from that package.
 */
const unscoped = new RegExp(
  String.raw`(?:\b(?:${runners})(?: -(?!-package)[\w-]+)*|\b${installs}(?: [^\s\`";&|]+)*) ${commands}(?![\w/.@-])`,
  "g",
);

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|tsx|mjs|js|json|sh|ya?ml|md|txt)$/.test(file))
    .filter((file) => !/(?:^|\/)(?:node_modules|dist|\.next)\//.test(file))
    .map((file) => join(folder, file));

/** What readers see: the pages, the examples, and the sources, which have the help, hints, and `next` of all packages. */
const texts = [
  ...pages,
  ...["llms.txt", "scripts/start.mjs", "packages/cli/Dockerfile", "packages/mock/Dockerfile"],
  ...["examples", "openapi", ".changeset", ".github", "setup-mgmt", "site/.vitepress"].flatMap(filesIn),
  ...readdirSync(join(root, "packages")).flatMap((name) => filesIn(`packages/${name}/src`)),
];

const foundIn = (file: string): string[] =>
  [
    ...readFileSync(join(root, file), "utf8")
      .replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "")
      .matchAll(unscoped),
  ].map(([found]) => `${file}: ${found}`);

describe("the names of the packages", () => {
  it("are those of this repository wherever a page, an example, or a hint installs or runs one", () => {
    expect(new Set(texts).size).toBeGreaterThan(500);
    expect([...new Set(texts)].flatMap(foundIn)).toEqual([]);
  });

  it.each([
    "npx mgmt dev",
    "npx --yes mgmt dev",
    "npm exec mgmt",
    "pnpm dlx mgmt projects list",
    "bunx mgmt-mock",
    "npm install --global mgmt",
    "npm i -D vitest mgmt",
  ])("are not the names of commands: %s", (line) => {
    expect(line.match(unscoped)).not.toBeNull();
  });

  it.each([
    "npx @mgmt/cli dev",
    "npx --yes --package @mgmt/cli@0.1.0 mgmt preview up",
    "npx @mgmt/mock --port 0",
    "npm install --global @mgmt/cli @mgmt/platform",
    "npm install && mgmt dev",
  ])("are scoped, or follow --package: %s", (line) => {
    expect(line.match(unscoped)).toBeNull();
  });
});

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { blocksOf, pages } from "./markdown.js";

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|tsx|mjs|js|json|sh|ya?ml|md|txt)$/.test(file))
    .filter((file) => !/(?:^|\/)(?:node_modules|dist|\.next)\//.test(file))
    .map((file) => join(folder, file));

const linesOf = (file: string, text = readFileSync(join(root, file), "utf8")): string[] =>
  text.split("\n").map((line) => `${file}: ${line}`);

/** Commands whose results have a password, a connection string, or a token. */
const issuing =
  /\bmgmt(?:\/cli(?:@\S+)?)? (?:[\w-]+ )*(?:(?:projects|databases|connections|service-tokens|deployments) (?:create|ensure|rotate)|preview up|connection-string)\b/;

/** Flags that keep the secret out of the output, and those with which the command creates none. */
const discreet =
  /--(?:secret-file|github-env|github-output|gitlab-dotenv|file|no-create-database|dry-run)\b|(?:--output|-o) name\b/;

it("the commands of pages, examples, and actions print no new secret", () => {
  // The generated reference also shows what a command prints on a terminal.
  const inPages = pages
    .filter((page) => !page.startsWith("docs/cli/"))
    .flatMap((page) => blocksOf(page).filter(({ language }) => language === "sh"))
    .flatMap(({ where, text }) => linesOf(where, text));
  const scripts = ["deploy", "examples", "setup-mgmt", ".github"].flatMap(filesIn);
  const inScripts = scripts.filter((file) => /\.(?:sh|ya?ml)$/.test(file)).flatMap((file) => linesOf(file));
  const lines = [...inPages, ...inScripts].filter((line) => issuing.test(line));
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => !discreet.test(line))).toEqual([]);
});

/**
 * A command that asks the registry for a package with the name of a command, which is not ours there: `npx mgmt`, also with flags before
 * it, and `npm install mgmt`. With `--package`, `npx` takes the command from that package.
 */
const unscoped =
  /(?:\b(?:npx|npm exec|pnpx|pnpm dlx|yarn dlx|bunx|bun x)(?: -(?!-package)[\w-]+)*|\b(?:npm|pnpm|yarn|bun) (?:install|i|add)(?: [^\s`";&|]+)*) mgmt(?:-mock)?(?![\w/.@-])/;

it("pages, examples, and hints install and run only packages of this repository", () => {
  const files = [
    ...pages,
    ...[
      "llms.txt",
      "scripts/start.mjs",
      "packages/cli/Dockerfile",
      "packages/mock/Dockerfile",
      "deploy/Dockerfile",
    ],
    ...["deploy", "examples", "openapi", ".changeset", ".github", "setup-mgmt", "site/.vitepress"].flatMap(
      filesIn,
    ),
    ...readdirSync(join(root, "packages")).flatMap((name) => filesIn(`packages/${name}/src`)),
  ];
  const lines = [...new Set(files)].flatMap((file) => linesOf(file));
  expect(lines.filter((line) => unscoped.test(line) && !/: \s*(?:\/\/|\*|\/\*)/.test(line))).toEqual([]);
  expect(["npx --yes mgmt dev", "npm i -D vitest mgmt"].filter((line) => !unscoped.test(line))).toEqual([]);
});

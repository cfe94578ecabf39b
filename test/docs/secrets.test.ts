import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { blocksOf, pages } from "./markdown.js";

/** Commands whose results have a password, a connection string, or a token. */
const issuing =
  /\bmgmt(?:\/cli(?:@\S+)?)? (?:[\w-]+ )*(?:(?:projects|databases|connections|service-tokens|deployments) (?:create|ensure|rotate)|preview up|connection-string)\b/;

/** Flags that keep the secret out of the output, and those with which the command creates none. */
const discreet =
  /--(?:secret-file|github-env|github-output|gitlab-dotenv|file|no-create-database|dry-run)\b|(?:--output|-o) name\b/;

const printsSecret = (line: string): boolean => issuing.test(line) && !discreet.test(line);

/** The command lines of the pages. The generated reference also shows what a command prints on a terminal. */
const inPages = pages
  .filter((page) => !page.startsWith("docs/cli/"))
  .flatMap((page) => blocksOf(page).filter(({ language }) => language === "sh"))
  .flatMap(({ where, text }) => text.split("\n").map((line) => `${where}: ${line}`));

const inFiles = ["examples", "setup-mgmt", ".github"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:sh|ya?ml)$/.test(name) && !/(?:^|\/)node_modules\//.test(name))
    .flatMap((name) =>
      readFileSync(join(root, folder, name), "utf8")
        .split("\n")
        .map((line) => `${folder}/${name}: ${line}`),
    ),
);

describe("the commands of pages, examples, and actions", () => {
  it("print no new secret", () => {
    const lines = [...inPages, ...inFiles];
    expect(lines.filter((line) => issuing.test(line)).length).toBeGreaterThan(20);
    expect(lines.filter(printsSecret)).toEqual([]);
  });

  it.each([
    "mgmt projects create shop --wait",
    "npx @mgmt/cli databases ensure reports --output json >database.json",
    "mgmt workspaces service-tokens create ci",
    "mgmt connections rotate con_1 --yes",
    "mgmt preview up",
  ])("would be found if one did: %s", (line) => {
    expect(printsSecret(line)).toBe(true);
  });
});

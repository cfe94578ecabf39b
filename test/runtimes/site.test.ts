import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { linksOf } from "../docs/markdown.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(root, "site/.vitepress/dist");

describe("the documentation as a website", () => {
  beforeAll(async () => {
    // Fails at a link to a page that does not exist.
    await promisify(execFile)(process.execPath, [join(root, "scripts/docs.mjs"), "build"]);
  }, 900_000);

  it("has the front page, a page for each package, and the reference", () => {
    const pages = [
      "index",
      "docs/index",
      "packages/sdk/index",
      "packages/cli/index",
      "docs/reference/projects",
    ];
    expect(pages.filter((page) => !existsSync(join(built, `${page}.html`)))).toEqual([]);
  });

  it("points links to files that are not pages at the repository", () => {
    const page = (name: string): string => readFileSync(join(built, `docs/guides/${name}.html`), "utf8");
    expect(page("observability")).toContain("/tree/main/examples/opentelemetry/trace-client.ts");
    expect(page("ci")).toContain('href="/examples/pull-request-database/"');
    expect(page("ci")).toContain('href="/packages/cli/#exit-codes"');
  });

  it("serves llms.txt, every page that it lists as Markdown, and all of them as llms-full.txt", () => {
    const index = readFileSync(join(built, "llms.txt"), "utf8");
    expect(index).toMatch(/^# mgmt\n\n> .+\n\n## Quickstarts\n\n- \[/);
    const listed = linksOf(index);
    expect(listed).toContain("docs/reference/projects.md");
    expect(listed.filter((page) => !existsSync(join(built, page)))).toEqual([]);
    const full = readFileSync(join(built, "llms-full.txt"), "utf8");
    expect(listed.filter((page) => !full.includes(`\n<!-- ${page} -->\n\n# `))).toEqual([]);
  });
});

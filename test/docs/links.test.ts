import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { manifestOf } from "../../scripts/release/pack.js";
import { anchorsOf, linksOf, pages } from "./markdown.js";

const read = (page: string): string => readFileSync(join(root, page), "utf8");
const isExternal = (target: string): boolean => /^https?:/.test(target);

const repository = manifestOf(".").repository.url.replace(/^git\+|\.git$/g, "");

/** The READMEs of the packages link to the repository by URL, because npm shows them, too. */
const inRepository = new RegExp(`^${repository}/(?:blob|tree)/main/`);

/** Returns why a link to the repository leads nowhere, or undefined if it leads somewhere. */
const problemOf = (page: string, target: string): string | undefined => {
  const [path = "", anchor] = target.split("#");
  const linked = inRepository.test(path) ? path.replace(inRepository, "") : join(dirname(page), path);
  const file = path === "" ? page : linked;
  if (!existsSync(join(root, file))) return `${target}: no such file`;
  if (anchor !== undefined && !anchorsOf(read(file)).includes(anchor)) return `${target}: no such heading`;
  return undefined;
};

describe("documentation links", () => {
  it.each(pages)("lead to files and headings that exist: %s", (page) => {
    const targets = linksOf(read(page)).filter((target) => !isExternal(target) || inRepository.test(target));
    expect(targets.map((target) => problemOf(page, target)).filter((problem) => problem)).toEqual([]);
  });

  it("lead to every guide from the documentation's index", () => {
    const guides = pages.filter((page) => /^docs\/(?!reference\/|cli\/)/.test(page));
    const linked = linksOf(read("docs/README.md")).map((target) => join("docs", target.split("#")[0] ?? ""));
    expect(guides.filter((page) => page !== "docs/README.md" && !linked.includes(page))).toEqual([]);
  });

  it("lead from the invariants of the architecture to tests with these titles", () => {
    const page = "docs/architecture.md";
    const tests = [...read(page).matchAll(/\]\(([^)]+\.test\.ts)\): "([^"]+)"/g)];
    expect(tests).toHaveLength(10);
    const missing = tests.filter(
      ([, file = "", title = ""]) => !read(join(dirname(page), file)).includes(`"${title}"`),
    );
    expect(missing.map(([test]) => test)).toEqual([]);
  });

  it("report a missing file and a missing heading", () => {
    expect(problemOf("README.md", "docs/gone.md")).toBe("docs/gone.md: no such file");
    expect(problemOf("README.md", "docs/README.md#gone")).toBe("docs/README.md#gone: no such heading");
    expect(problemOf("README.md", "docs/README.md#guides")).toBeUndefined();
    const url = `${repository}/blob/main/docs/gone.md`;
    expect(problemOf("README.md", url)).toBe(`${url}: no such file`);
  });
});

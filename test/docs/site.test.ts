import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { homePage } from "../../site/.vitepress/home.mjs";
import { onlyInRepository } from "../../site/.vitepress/markdown.mjs";
import { pictureIn } from "../../site/.vitepress/pictures.mjs";
import { sidebar } from "../../site/.vitepress/sidebar.mjs";
import { addressOf, linkedFrom, sourcePages } from "../../site/.vitepress/sources.mjs";
import { blocksOf, linksOf, pages } from "./markdown.js";

/** Pages about the work on this repository, and instructions for programs, which the website does not have. */
const notOnTheWebsite = [".changeset/README.md", "bench/README.md", "skills/mgmt/SKILL.md"];

describe("the sidebar of the website", () => {
  const groups = sidebar();
  const links = groups.flatMap(({ link, items }) => [
    ...(link === undefined ? [] : [link]),
    ...items.map((item) => item.link),
  ]);

  it("has every page of the documentation once", () => {
    const expected = pages
      .filter((page) => !notOnTheWebsite.includes(page))
      .concat(packageFolders.map((name) => `packages/${name}/CHANGELOG.md`))
      .map((page) => `/${addressOf(page)}`);
    expect([...links].sort()).toEqual(expected.sort());
  });

  it("orders the guides as the documentation's index does", () => {
    const guides = groups.find(({ text }) => text === "Guides")?.items.map(({ link }) => link) ?? [];
    const inIndex = linksOf(readFileSync(join(root, "docs/README.md"), "utf8"))
      .filter((target) => target.startsWith("guides/"))
      .map((target) => `/docs/${target.replace(/\.md(?:#.*)?$/, "")}`);
    expect(guides).toEqual([...new Set(inIndex), "/docs/migration"]);
  });

  it("has the whole command reference", () => {
    const group = groups.find(({ text }) => text === "Command reference");
    const commands = group?.items ?? [];
    expect(group?.link).toBe("/docs/cli/");
    expect(commands).toHaveLength(readdirSync(join(root, "docs/cli")).length - 1);
    expect(commands).toContainEqual({ text: "mgmt projects", link: "/docs/cli/projects" });
  });

  it("has a title for every page and every group", () => {
    const texts = groups.flatMap(({ text, items }) => [text, ...items.map((item) => item.text)]);
    expect(
      texts.filter((text) => text === "" || /[`/]|\.md$/.test(text.replace(/@\w+\/[\w-]+/, ""))),
    ).toEqual([]);
  });
});

describe("the links of the website", () => {
  it("lead to pages that it has, or to the repository", () => {
    const shown = sourcePages();
    const dead = shown.flatMap((page) =>
      linkedFrom(page)
        .filter((target) => !shown.includes(target) && !onlyInRepository.test(target))
        .filter((target) => !/https?:/.test(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });
});

describe("the home page of the website", () => {
  it("has the install line, a program, and a card for each quickstart", () => {
    const page = homePage();
    const [install, program] = ["docs/quickstart/terminal.md", "docs/quickstart/app.md"].map(
      (file, index) =>
        blocksOf(file)
          .filter(({ use }) => use === ["install", "run"][index])
          .at(1)?.text,
    );
    expect(page).toContain(`\`\`\`sh\n${install ?? "?"}mgmt dev\n`);
    expect(page).toContain(program ?? "?");
    const quickstarts = readdirSync(join(root, "docs/quickstart"));
    expect(
      quickstarts.filter((name) => !page.includes(`](docs/quickstart/${name})\n\n\`\`\`sh\nnpm install`)),
    ).toEqual([]);
  });
});

describe("a picture of a terminal", () => {
  const svg = readFileSync(join(root, "docs/images/mgmt-plan.svg"), "utf8");

  it("has the colors of the page, whatever the system prefers", () => {
    expect(svg).toContain("prefers-color-scheme");
    expect(pictureIn(svg, "light")).not.toMatch(/prefers-color-scheme|#0d1117/);
    expect(pictureIn(svg, "dark")).not.toContain("prefers-color-scheme");
    expect(pictureIn(svg, "dark")).toContain("rect{fill:#0d1117");
  });

  it("is as wide as its text", () => {
    expect(pictureIn(svg, "light")).toMatch(/^<svg [^>]*width="(\d{3})" height="212" viewBox="0 0 \1 212"/);
    expect(pictureIn(svg, "light")).not.toContain("872");
  });

  it("is refused if it is another picture", () => {
    expect(() => pictureIn("<svg width='1'/>", "dark")).toThrow("not a picture of a terminal");
  });
});

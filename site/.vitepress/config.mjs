import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../..", import.meta.url));
const repository = "https://github.com/mgmt-sdk/mgmt";

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3451b2"/><path d="M3 12V4l5 5 5-5v8" fill="none" stroke="#fff" stroke-width="2"/></svg>';

const titleOf = (page) => /^# (.+)$/m.exec(readFileSync(join(root, page), "utf8"))?.[1] ?? page;
const textOf = (title) =>
  title.replaceAll("`", "").replace(/^Quickstart: (.)/, (_, letter) => letter.toUpperCase());
const linkTo = (page) => ({
  text: textOf(titleOf(page)),
  link: `/${page.replace(/(?:README)?\.md$/, "")}`,
});
const pagesIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => linkTo(`${folder}/${name}`));
const quickstarts = ["app", "terminal", "ci", "tests", "other-languages"].map((name) =>
  linkTo(`docs/quickstart/${name}.md`),
);
const packages = ["sdk", "cli", "mock", "platform", "engine"].map((name) =>
  linkTo(`packages/${name}/README.md`),
);

/**
 * Points links to anything but a page, such as an example, at the repository. VitePress checks the links to pages, and a build
 * with a dead one fails.
 */
const linkToRepository = (markdown) => {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const folder = join(root, dirname(relative(join(root, "site/pages"), env.realPath ?? env.path)));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === "link_open" ? token.attrGet("href") : null;
      if (target === null || /^(?:[a-z]+:|#|\/)/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = join(folder, path.replace(/(?:^|\/)README\.md$/, ""));
      const readme = relative(root, join(file, "README.md"));
      if (existsSync(join(root, "site/pages", readme))) {
        // VitePress does not apply `rewrites` to links.
        const address = join("/", dirname(readme), "/");
        token.attrSet("href", anchor === undefined ? address : `${address}#${anchor}`);
      } else if (!path.endsWith(".md") || /^(?:bench|test)\b/.test(relative(root, file))) {
        token.attrSet("href", `${repository}/tree/main/${relative(root, file)}`);
      }
    }
  });
};

export default defineConfig({
  title: "mgmt",
  description: "A typed SDK, a command line, and a reference server for the Management API",
  lang: "en-US",
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  // Copies, which scripts/docs.mjs makes: pages outside this folder could not import the packages in it.
  srcDir: "pages",
  // Files that are served as they are: `llms.txt` and the pages that it lists.
  srcExclude: ["public/**"],
  rewrites: (page) => (basename(page) === "README.md" ? join(dirname(page), "index.md") : page),
  cleanUrls: true,
  markdown: { config: linkToRepository },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path` },
    nav: [
      { text: "Docs", link: "/docs/" },
      { text: "Reference", link: "/docs/reference/" },
      { text: "Mock", link: "/docs/mock" },
    ],
    sidebar: [
      { text: "Quickstarts", items: quickstarts },
      { text: "Guides", items: [...pagesIn("docs/guides"), linkTo("docs/migration.md")] },
      { text: "Frameworks", items: pagesIn("docs/frameworks") },
      { text: "Packages", items: [...packages, linkTo("docs/mock.md")] },
      { text: "API reference", collapsed: true, items: pagesIn("docs/reference") },
      {
        text: "More",
        items: [
          linkTo("examples/README.md"),
          linkTo("docs/support.md"),
          linkTo("docs/glossary.md"),
          linkTo("docs/architecture.md"),
        ],
      },
    ],
  },
});

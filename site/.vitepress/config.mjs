import { basename, dirname, join } from "node:path/posix";
import { defineConfig } from "vitepress";
import { adaptMarkdown } from "./markdown.mjs";
import { withPolicy } from "./policy.mjs";
import { sidebar } from "./sidebar.mjs";
import { read, repository } from "./sources.mjs";

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3451b2"/><path d="M3 12V4l5 5 5-5v8" fill="none" stroke="#fff" stroke-width="2"/></svg>';

const { version } = JSON.parse(read("packages/sdk/package.json"));
const groups = sidebar();
const itemsOf = (name) => groups.find(({ text }) => text === name)?.items ?? [];

/** Where a page of the repository is edited: generated ones at their source. */
const sourceOf = (page) => {
  if (page.startsWith("docs/cli/")) return "tree/main/packages/cli/src/commands";
  return page.startsWith("docs/reference/") ? "tree/main/openapi" : `edit/main/${page}`;
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
  rewrites: (page) => {
    if (page === "README.md") return "overview.md";
    return basename(page) === "README.md" ? join(dirname(page), "index.md") : page;
  },
  cleanUrls: true,
  transformPageData: ({ filePath }) => ({ filePath: sourceOf(filePath) }),
  transformHtml: withPolicy,
  // The switch between light and dark would add a style that the policy does not allow.
  appearance: { disableTransition: false },
  // The page "Try it" runs programs in workers that are ES modules.
  vite: { worker: { format: "es" } },
  markdown: {
    config: adaptMarkdown,
    // Their colors have enough contrast on the backgrounds of code blocks.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    // The policy allows no function here, which VitePress would evaluate in the browser.
    editLink: { pattern: `${repository}/:path`, text: "Edit this page on GitHub" },
    externalLinkIcon: true,
    nav: [
      { text: "Get started", items: [{ text: "Overview", link: "/overview" }, ...itemsOf("Quickstarts")] },
      { text: "Try it", link: "/docs/try-it" },
      { text: "Guides", link: "/docs/#guides" },
      {
        text: "Reference",
        items: [
          { text: "Commands", link: "/docs/cli/" },
          { text: "SDK methods", link: "/docs/reference/" },
          { text: "Error codes", link: "/docs/reference/errors" },
          { text: "Mock", link: "/docs/mock" },
        ],
      },
      { text: "Why", link: "/docs/why" },
      {
        text: `v${version}`,
        items: [
          { text: "Versions and support", link: "/docs/support" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Changelog", items: itemsOf("Changelog") },
        ],
      },
    ],
    sidebar: groups,
  },
});

import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { addressOf, repository, root } from "./sources.mjs";

const pages = join(root, "site/pages");

/** Images are named by their address at GitHub where npm shows the page, too. */
const rawFile = "https://raw.githubusercontent.com/mgmt-sdk/mgmt/main/";

/** Folders with pages that the website does not have. */
export const onlyInRepository = /^(?:\.changeset|bench|test)\b/;

/**
 * Points links to anything but a page, such as an example, at the repository. VitePress checks the links to pages, and a build
 * with a dead one fails.
 */
const linkToRepository = (token, folder) => {
  const target = token.attrGet("href");
  if (target === null || /^(?:[a-z]+:|#|\/)/.test(target)) return;
  const [path, anchor] = target.split("#");
  const file = join(folder, path.replace(/(?:^|\/)README\.md$/, ""));
  const readme = relative(root, join(file, "README.md"));
  if (existsSync(join(pages, readme))) {
    // VitePress does not apply `rewrites` to links.
    const address = `/${addressOf(readme)}`;
    token.attrSet("href", anchor === undefined ? address : `${address}#${anchor}`);
  } else if (!path.endsWith(".md") || onlyInRepository.test(relative(root, file))) {
    token.attrSet("href", `${repository}/tree/main/${relative(root, file)}`);
  }
};

/** The pictures of terminals, and the plots, have a copy for each appearance, which scripts/docs.mjs makes. */
const showPicture = (markdown, token, folder) => {
  const source = token.attrGet("src") ?? "";
  const file = source.startsWith(rawFile)
    ? join(root, source.slice(rawFile.length).split("?")[0])
    : join(folder, source);
  if (dirname(file) !== join(root, "docs/images")) return undefined;
  const description = markdown.utils.escapeHtml(token.content);
  const images = ["light", "dark"].map(
    (appearance) =>
      `<img class="only-${appearance}" src="/images/${basename(file, ".svg")}.${appearance}.svg" alt="${description}">`,
  );
  const label = basename(file).startsWith("performance-") ? "Plot" : "Terminal";
  return `<span class="terminal" tabindex="0" role="group" aria-label="${label}">${images.join("")}</span>`;
};

/** Adapts what the pages of the repository contain to the website. */
export const adaptMarkdown = (markdown) => {
  const folderOf = (env) => join(root, dirname(relative(pages, env.realPath ?? env.path)));
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === "link_open") linkToRepository(token, folderOf(env));
    }
  });
  const { image } = markdown.renderer.rules;
  markdown.renderer.rules.image = (tokens, index, options, env, self) =>
    showPicture(markdown, tokens[index], folderOf(env)) ?? image(tokens, index, options, env, self);
};

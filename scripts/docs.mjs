import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";

/**
 * `npm run docs`: shows the documentation as a website and updates it while you write. `npm run docs -- build` writes it to
 * `site/.vitepress/dist` and fails at dead links; `npm run docs -- preview` serves that. The first run installs VitePress, which
 * nothing else needs.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
const site = join(root, "site");
const [command = "dev", ...flags] = process.argv.slice(2);
if (!["dev", "build", "preview"].includes(command)) {
  console.error(`npm run docs has no command ${command}. Use dev, build or preview.`);
  process.exit(2);
}

const readmesIn = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`);
const sources = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "examples/README.md",
  "docs",
  ...readmesIn("packages"),
  ...readmesIn("examples"),
];

const copyPages = () => {
  for (const source of sources.filter((each) => existsSync(join(root, each)))) {
    const target = join(site, "pages", source);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, source), target, { recursive: true });
  }
};

/** The website serves what `llms.txt` lists as Markdown, at the paths of the repository. */
const copyForLanguageModels = async () => {
  const { llmsPages, printLlmsFull, printLlmsIndex } = await tsImport("./generate/llms.ts", import.meta.url);
  const folder = join(site, "pages/public");
  for (const page of llmsPages()) cpSync(join(root, page), join(folder, page));
  writeFileSync(join(folder, "llms.txt"), printLlmsIndex());
  writeFileSync(join(folder, "llms-full.txt"), printLlmsFull());
};

const run = (program, ...words) => {
  const shell = process.platform === "win32";
  const { status } = spawnSync(program, words, { cwd: site, stdio: "inherit", shell });
  if (status !== 0) process.exit(status ?? 1);
};

if (!existsSync(join(site, "node_modules/vitepress"))) {
  run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
}
rmSync(join(site, "pages"), { recursive: true, force: true });
copyPages();
await copyForLanguageModels();
if (command === "dev") {
  // The server runs in this process, so that the pages can be copied again when they change.
  watch(join(root, "docs"), { recursive: true }, copyPages);
  const { createServer } = await import(join(site, "node_modules/vitepress/dist/node/index.js"));
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
} else {
  run("node", join(site, "node_modules/vitepress/bin/vitepress.js"), command, ".", ...flags);
}

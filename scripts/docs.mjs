import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";
import { homePage } from "../site/.vitepress/home.mjs";
import { pictureIn } from "../site/.vitepress/pictures.mjs";
import { sourcePages } from "../site/.vitepress/sources.mjs";
import { buildIfStale } from "./build-if-stale.mjs";

/**
 * `node scripts/docs.mjs` shows the documentation as a website and updates it while you write. `node scripts/docs.mjs build` writes it
 * to `site/.vitepress/dist` and fails at dead links; `preview` serves that. The first run installs VitePress, which nothing else needs.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
const site = join(root, "site");
const [command = "dev", ...flags] = process.argv.slice(2);
if (!["dev", "build", "preview"].includes(command)) {
  console.error(`There is no command ${command}. Use dev, build or preview.`);
  process.exit(2);
}

const copyPages = () => {
  for (const page of sourcePages()) {
    const target = join(site, "pages", page);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, page), target);
  }
  writeFileSync(join(site, "pages/index.md"), homePage());
};

/** Writes each picture of a terminal for a light and for a dark page. */
const writePictures = () => {
  const folder = join(site, "pages/public/images");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(root, "docs/images"))) {
    for (const appearance of ["light", "dark"]) {
      const picture = pictureIn(readFileSync(join(root, "docs/images", name), "utf8"), appearance);
      writeFileSync(join(folder, `${basename(name, ".svg")}.${appearance}.svg`), picture);
    }
  }
};

/** The website serves what `llms.txt` lists as Markdown, at the paths of the repository. */
const copyForLanguageModels = async () => {
  const { llmsPages, printLlmsFull, printLlmsIndex } = await tsImport(
    "./generate/docs/llms.ts",
    import.meta.url,
  );
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
// The page "Try it" contains the SDK and the mock.
buildIfStale();
rmSync(join(site, "pages"), { recursive: true, force: true });
copyPages();
writePictures();
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

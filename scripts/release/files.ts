import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manifestOf } from "./pack.js";
import { homebrewFormula } from "./package-managers/homebrew.js";
import type { Published } from "./package-managers/published.js";
import { scoopManifest } from "./package-managers/scoop.js";
import { wingetManifests } from "./package-managers/winget.js";
import { archiveName, type Target, targets } from "./targets.js";

const usage = `npx tsx scripts/release/files.ts [--archives DIR] [--out DIR]

Writes what is published beside the archives of the standalone program: SHA256SUMS, a formula for Homebrew, and manifests for Scoop
and winget. Publishes nothing.

  --archives DIR   folder with the archives of this version for all systems (default: dist/standalone)
  --out DIR        where to write the files (default: the folder of the archives)

Exits with 1 if an archive is missing, and with 2 on wrong usage.
`;

const root = fileURLToPath(new URL("../../", import.meta.url));

const fail = (status: number, message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(status);
};

const readArguments = () => {
  try {
    const options = {
      archives: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean" },
    } as const;
    const { values } = parseArgs({ options });
    const archives = resolve(root, values.archives ?? "dist/standalone");
    return { archives, out: resolve(root, values.out ?? archives), help: values.help === true };
  } catch (error) {
    return fail(2, `${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
};

/** Returns the address of the repository from a manifest, where npm writes `git+` and `.git` around it. */
const repositoryOf = (url: string): string => url.replace(/^git\+/, "").replace(/\.git$/, "");

const sha256 = async (file: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
};

const readPublished = async (archives: string): Promise<Published> => {
  const { version, license = "", repository } = manifestOf("packages/cli");
  const missing = targets
    .map((target) => archiveName(version, target))
    .filter((name) => !existsSync(join(archives, name)));
  if (missing.length > 0) fail(1, `${archives} lacks ${missing.join(", ")}. Nothing was written.`);
  const found = targets.map(async (target) => [
    target,
    await sha256(join(archives, archiveName(version, target))),
  ]);
  // There is an entry for each target.
  const hashes = Object.fromEntries(await Promise.all(found)) as Record<Target, string>;
  return { version, license, repository: repositoryOf(repository.url), hashes };
};

const filesOf = (published: Published): ReadonlyMap<string, string> => {
  const { version, hashes } = published;
  const sums = targets.map((target) => `${hashes[target]}  ${archiveName(version, target)}\n`);
  return new Map([
    ["SHA256SUMS", sums.join("")],
    ["homebrew/mgmt.rb", homebrewFormula(published)],
    ["scoop/mgmt.json", `${JSON.stringify(scoopManifest(published), undefined, 4)}\n`],
    ...[...wingetManifests(published)].map(([name, text]) => [`winget/${name}`, text] as const),
  ]);
};

const { archives, out, help } = readArguments();
if (help) {
  process.stdout.write(usage);
} else {
  for (const [name, text] of filesOf(await readPublished(archives))) {
    const file = join(out, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(file);
  }
}

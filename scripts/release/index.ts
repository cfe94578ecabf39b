import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type PackedPackage, packPackages } from "./pack.js";
import { type Release, planRelease } from "./plan.js";
import { type Sbom, isContained, sbomOf } from "./sbom.js";

const usage = `npm run release [-- --dry-run] [--out DIR]

Packs all packages, writes a bill of materials for each (CycloneDX), prints what is published, and publishes it.

  --dry-run   publish nothing
  --out DIR   where to write the tarballs and bills of materials (default: dist/release)

Exits with 1 if the release is inconsistent or cannot be published, and with 2 on wrong usage.
`;

const root = fileURLToPath(new URL("../../", import.meta.url));

const fail = (status: number, message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(status);
};

const readArguments = () => {
  try {
    const options = {
      "dry-run": { type: "boolean" },
      out: { type: "string" },
      help: { type: "boolean" },
    } as const;
    const { values } = parseArgs({ options });
    const out = resolve(root, values.out ?? "dist/release");
    return { out, isDryRun: values["dry-run"] === true, help: values.help === true };
  } catch (error) {
    return fail(2, `${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
};

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

const sbomFile = (each: PackedPackage): string => each.tarball.replace(/\.tgz$/, ".cdx.json");

const describe = (each: PackedPackage, changes: string, sbom: Sbom): string => {
  const { name, version, size, unpackedSize, files } = each;
  const contained = sbom.components.filter(isContained);
  return [
    `\n# ${name} ${version}\n`,
    `## Files: ${String(files.length)}, ${kilobytes(unpackedSize)}; tarball ${kilobytes(size)}\n`,
    ...files.map((file) => `${kilobytes(file.size).padStart(12)}  ${file.path}`),
    `\n## Changelog\n\n${changes}`,
    `\n## Bill of materials: ${sbomFile(each)}\n`,
    `${String(sbom.components.length - contained.length)} packages are installed with it on some system, and its code contains ${String(contained.length)}.`,
  ].join("\n");
};

/** Returns why the working tree must not be published. */
const treeProblems = (version: string): string[] => {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  const tag = process.env["GITHUB_REF_NAME"];
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["The working tree has changes that are not committed."]),
    ...(tag === undefined || tag === `v${version}`
      ? []
      : [`The tag is ${tag}, but the version is ${version}.`]),
  ];
};

const publishCommand = (tarball: string): string[] => [
  "publish",
  tarball,
  "--access",
  "public",
  "--provenance",
];

/** Publishes a package unless this version has been published already, so that an interrupted release can be resumed. */
const publish = ({ name, version, tarball }: PackedPackage): void => {
  const shell = process.platform === "win32";
  const published = spawnSync("npm", ["view", `${name}@${version}`, "version"], {
    cwd: root,
    encoding: "utf8",
    shell,
  });
  if (published.stdout.trim() === version) return console.log(`${name}@${version} is published already.`);
  const { status } = spawnSync("npm", publishCommand(tarball), { cwd: root, stdio: "inherit", shell });
  if (status !== 0)
    fail(1, `npm could not publish ${name}@${version}. Fix the cause and run the release again.`);
};

const release = async (plan: Release, out: string, isDryRun: boolean): Promise<void> => {
  mkdirSync(out, { recursive: true });
  const packed = await packPackages(out);
  const ordered = plan.order.flatMap((name) => packed.filter((each) => each.name === name));
  for (const each of ordered) {
    const sbom = sbomOf(each);
    writeFileSync(sbomFile(each), `${JSON.stringify(sbom, undefined, 2)}\n`);
    console.log(describe(each, plan.changes.get(each.name) ?? "", sbom));
  }
  if (!isDryRun) return ordered.forEach(publish);
  console.log(`\n# Dry run: nothing was published. A release runs, in this order:\n`);
  for (const { tarball } of ordered) console.log(`npm ${publishCommand(tarball).join(" ")}`);
};

const { out, isDryRun, help } = readArguments();
if (help) {
  process.stdout.write(usage);
} else {
  const plan = planRelease();
  const problems = [...plan.problems, ...(isDryRun ? [] : treeProblems(plan.version))];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  // A dry run shows what would be published once the problems are solved.
  if (problems.length > 0 && !isDryRun) fail(1, "Nothing was published.");
  await release(plan, out, isDryRun);
}

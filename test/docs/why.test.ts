import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InvalidArgumentError, createClient } from "@mgmt/sdk";
import { setupMock } from "@mgmt/mock";
import { readMeasured } from "../../bench/compare/measured.js";
import { benches } from "../../bench/benches/index.js";
import { root } from "../../scripts/generate/contract/contract.js";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read("docs/why.md");

/** Returns the number after some words of the page. */
const numberAfter = (words: string): number =>
  Number(new RegExp(`${words} ([\\d,]+)`).exec(page.replaceAll(/\s+/g, " "))?.[1]?.replaceAll(",", ""));

interface Locked {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  /** Systems that the package is installed on, if not on all. */
  readonly os?: string[];
  readonly link?: boolean;
  readonly resolved?: string;
}

/** Returns the packages that an installation of a package of this repository has on one system, itself included. */
const installedWith = (name: string): string[] => {
  // Written by npm.
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
  const locationOf = (from: string, dependency: string): string => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
      const place = join(folder, "node_modules", dependency);
      const locked = packages[place];
      if (locked) return locked.link ? (locked.resolved ?? place) : place;
      if (folder === "") throw new Error(`${dependency} is not in package-lock.json`);
    }
  };
  const found = new Set([`packages/${name}`]);
  for (const each of found) {
    const { dependencies, optionalDependencies } = packages[each] ?? {};
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
      found.add(locationOf(each, dependency));
    }
  }
  const onAll = [...found].filter((each) => !packages[each]?.os);
  const [forOneSystem] = [...found].filter((each) => packages[each]?.os);
  return forOneSystem === undefined ? onAll : [...onAll, forOneSystem];
};

describe("the limits on the page Why", () => {
  it.each([
    ["sdk", "`@mgmt/sdk` brings more than"],
    ["cli", "`@mgmt/cli` more than"],
  ])("are kept by the packages that @mgmt/%s installs", (name, words) => {
    expect(installedWith(name).length).toBeLessThanOrEqual(numberAfter(words));
  });

  it("are as low for the packages that @mgmt/mock installs", () => {
    expect(installedWith("mock").length).toBeLessThanOrEqual(2);
  });

  it("are those that the tests of the SDK and the benches enforce", () => {
    const tests = read("packages/sdk/test/budget.process.test.ts");
    expect(numberAfter("`@mgmt/sdk` loads more than")).toBe(8 * 1024);
    expect(numberAfter("or needs more than")).toBe(75);
    expect(tests).toContain("expect(size).toBeLessThanOrEqual(8 * 1024)");
    expect(tests).toContain("expect(getInstantiationCount()).toBeLessThanOrEqual(75)");
    expect(benches["sdk"]?.[0]?.rows[0]?.goal?.limit).toBe(8 * 1024);
  });
});

/** Returns the first cells of the rows of the page's tables that have a number of packages after the name. */
const measuredRows = [...page.matchAll(/^\| `([^`]+)`(?: [\d.]+)? +\| (\d+) +\| \d+ MB +\|/gm)].map(
  ([, name = "", packages]) => ({ name, packages: Number(packages) }),
);

describe("the measurements on the page Why", () => {
  it("have the packages of this repository beside others of the same kind", () => {
    const names = measuredRows.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("@mgmt/"))).toEqual(["@mgmt/sdk", "@mgmt/cli"]);
    expect(names).toHaveLength(9);
  });

  it.each(["sdk", "cli"])("have as many packages as @mgmt/%s installs", (name) => {
    const row = measuredRows.find((each) => each.name === `@mgmt/${name}`);
    expect(row?.packages).toBe(installedWith(name).length);
  });

  it("have the numbers of the comparison", () => {
    for (const { name, package: packageName } of readMeasured().sdks) {
      const cells = readMeasured().sections.flatMap(({ rows }) =>
        rows
          .filter(({ title }) => title === "packages in `node_modules`")
          .map((row) => row.cells[name]?.rank),
      );
      const row = measuredRows.find((each) => each.name === packageName);
      expect([row?.packages]).toEqual(cells);
    }
  });
});

describe("what the page Why says about failed requests", () => {
  const setup = () => {
    const mock = setupMock();
    const client = createClient({
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      token: () => mock.tokens.user(),
    });
    return { mock, client };
  };

  it.each([
    ["a create that gets a 500", { status: 500 }],
    ["a create whose connection ends", { drop: "after" as const }],
    ["a create that gets a 409", { status: 409 }],
  ])("sends %s once", async (_, fault) => {
    const { mock, client } = setup();
    mock.faults.add({ operation: "projects.create", ...fault });
    const { error } = await client.safe.projects.create({ name: "shop" });
    expect(error).toMatchObject({ attempts: { length: 1 } });
  });

  it("sends a request again after a 429", async () => {
    const { mock, client } = setup();
    mock.faults.add({ operation: "projects.list", status: 429, times: 1 });
    const { response } = await client.projects.list().withResponse();
    expect(response.attempts).toMatchObject([{ status: 429 }, { status: 200 }]);
  });

  it("fails at once with retryAfter if it would wait for 90 seconds", async () => {
    const client = createClient({
      baseUrl: "https://api.example.com",
      token: false,
      fetch: () => Promise.resolve(new Response("", { status: 429, headers: { "retry-after": "90" } })),
    });
    const { error } = await client.safe.projects.list();
    expect(error).toMatchObject({ retryAfter: 90, attempts: { length: 1 } });
  });

  it("refuses an empty id before anything is sent", async () => {
    const { mock, client } = setup();
    await expect(client.projects.delete("")).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(mock.requests).toEqual([]);
  });

  it("ends a request that is never answered at its deadline", async () => {
    const client = createClient({
      baseUrl: "https://api.example.com",
      token: false,
      timeoutMs: 5,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    await expect(client.projects.list()).rejects.toMatchObject({ code: "connection:timeout" });
  });
});

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../packages/sdk/src/index.js";
import { resources } from "../../packages/sdk/src/resources/generated/resources.js";
import { Resource } from "../../packages/sdk/src/methods/resource.js";
import { type Contract, loadContract, root } from "../../scripts/generate/contract/contract.js";
import { generateReference, referenceFolder } from "../../scripts/generate/docs/sdk-reference.js";
import { anchorsOf, blocksOf, headingsOf } from "./markdown.js";

const names = readdirSync(join(root, referenceFolder));
const read = (name: string): string => readFileSync(join(root, referenceFolder, name), "utf8");

/** Returns the name of every method of a resource at run time, such as `projects.databases.list`. */
const methodsOf = (resource: object, name: string): string[] => {
  const found: string[] = [];
  for (const [key, value] of Object.entries(resource)) {
    if (value instanceof Resource) found.push(...methodsOf(value, `${name}.${key}`));
  }
  let type: unknown = Object.getPrototypeOf(resource);
  while (typeof type === "object" && type !== null && type !== Resource.prototype) {
    const own = Object.getOwnPropertyNames(type).filter((key) => key !== "constructor");
    found.push(...own.map((key) => `${name}.${key}`));
    type = Object.getPrototypeOf(type);
  }
  return found;
};
const client = createClient({ baseUrl: "https://api.example.com" });
const methods = Object.keys(resources).flatMap((name) => methodsOf(Reflect.get(client, name), name));

describe("the reference", () => {
  it("has a section for every method of a client, and no others", () => {
    const documented = names
      .flatMap((name) => headingsOf(read(name)))
      .filter((title) => /^\w+(\.\w+)+$/.test(title));
    expect(documented.filter((title) => !title.startsWith("client.")).sort()).toEqual([...methods].sort());
    expect(methods).toContain("projects.ensure");
    expect(methods).toContain("databases.connections.create");
  });

  it.each(methods)("calls %s once in an example", (method) => {
    const calls = names
      .flatMap((name) => blocksOf(`${referenceFolder}/${name}`))
      .flatMap(({ text }) => text.split(`client.${method}(`).slice(1));
    expect(calls).toHaveLength(1);
  });

  it.each(names)("links only to headings that exist: %s", (name) => {
    const links = [...read(name).matchAll(/\]\(([^)#]+)(?:#([^)]+))?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [link, page = "", anchor] of links) {
      expect(names, link).toContain(page);
      if (anchor !== undefined) expect(anchorsOf(read(page)), link).toContain(anchor);
    }
  });

  it("has the rows of a table on lines of their own", () => {
    const rows = read("types.md").match(/^\| .+ \|$/gm) ?? [];
    expect(rows).toContainEqual(expect.stringMatching(/^\| advice +\| what to do +\|$/));
    for (const row of rows) expect(row).not.toContain("| |");
  });

  it("uses nothing after the call that deletes or transfers it", () => {
    for (const name of names) {
      const calls = blocksOf(`${referenceFolder}/${name}`).flatMap(({ text }) =>
        [...text.matchAll(/await client\.([\w.]+)\(/g)].map(([, id = ""]) => id),
      );
      const first = calls.findIndex((id) => /\.(?:delete|transfer)$/.test(id));
      const later = first === -1 ? [] : calls.slice(first);
      expect(
        later.filter((id) => !/\.(?:delete|transfer|waitUntilTransferred)$/.test(id)),
        name,
      ).toEqual([]);
    }
  });

  it("has no link tag and no empty item left over from a docstring", () => {
    for (const name of names) expect(read(name), name).not.toMatch(/\{@link|^\s*- \W?$|undefined`: /m);
  });
});

describe("a reference page", () => {
  let contract: Contract;
  beforeAll(async () => {
    contract = await loadContract();
  });
  const changed = (id: string, change: object): Contract => ({
    ...contract,
    operations: contract.operations.map((each) => (each.id === id ? { ...each, ...change } : each)),
  });

  it("describes an error by its class, status, and code", () => {
    expect(read("projects.md")).toContain(
      "- [`ProjectNotFoundError`](errors.md#notfounderror) (404 `project:not_found`): the project does not exist.",
    );
  });

  it("names the replacement of a deprecated method", () => {
    const [, section = ""] = read("apps.md").split("## apps.get\n");
    expect(section).toMatch(/^\s*`get\(.*\n\n\*\*Deprecated\.\*\* Use \[`client\.services\.get`\]/);
  });

  it("states a parameter's default, bounds, and conflicts", () => {
    const text = read("databases.md");
    expect(text).toMatch(/`limit\?`: `number` – .*Default: `100`\. From 1 to 1000\./);
    expect(text).toMatch(/`branchId\?`: .*Cannot be combined with `branchGitName`\./);
    const [, update = ""] = text.split("## databases.update\n");
    expect(update).toMatch(/`branchGitName\?`: .*Cannot be combined with `branchId` or `logicalId`\./);
  });

  it("requires of an ensure what its type requires beyond the create", () => {
    const [, section = ""] = read("databases.md").split("## databases.ensure\n");
    expect(section).toMatch(/- `body`: `EnsureDatabase` .*\n {2}- `logicalId`: /);
    expect(section).not.toContain("`branchGitName?`");
  });

  it("is built from the freshly generated source, not from the file on disk", async () => {
    const path = "packages/sdk/src/resources/generated/me.ts";
    const text = readFileSync(join(root, path), "utf8");
    const fresh = text.replace("   * `GET /v1/me`", "   * Generated in memory.");
    const made = await generateReference(contract, new Map([[path, fresh]]));
    expect(fresh).not.toBe(text);
    expect(made.get(`${referenceFolder}/me.md`)).toContain("\nGenerated in memory.\n");
  });

  it("is refused for a body that has no example in the contract", async () => {
    const { body } = contract.operations.find(({ id }) => id === "projects.transfer") ?? {};
    const without = changed("projects.transfer", { body: { ...body, examples: [] } });
    await expect(generateReference(without, new Map())).rejects.toThrow(
      "The contract has no example with the required fields of projects.transfer",
    );
  });

  it("is refused for an id without a prefix", async () => {
    const [id] = contract.operations.find((each) => each.id === "projects.get")?.pathParameters ?? [];
    const without = changed("projects.get", { pathParameters: [{ ...id, schema: { type: "string" } }] });
    await expect(generateReference(without, new Map())).rejects.toThrow("No example for id: it is not an id");
  });
});

import { describe, expect, it } from "vitest";
import { type Setup, runInProcess } from "../../test/in-process.js";
import { shop, useProvisioning } from "../../test/provisioning.js";
import type { Result } from "../../test/result.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;
const run = (line: readonly string[], setup: Setup = {}): Promise<Result> =>
  runInProcess(line, { cwd: here.folder, env: here.session.env, ...setup });

describe("--target", () => {
  const created = async (...targets: string[]): Promise<string[]> => {
    const flags = targets.flatMap((target) => ["--target", target]);
    const { stdout } = await run(["plan", ...flags]);
    return [...stdout.matchAll(/^\+ (.*)$/gm)].map(([, name = ""]) => name);
  };

  it("plans an entry, what contains it, what it refers to, and what is in it", async () => {
    write(shop);
    expect(await created("shop/main/web")).toEqual(["project shop", "service shop/main/web"]);
    expect(await created("database shop/feature/cart/catalog")).toEqual([
      "project shop",
      "branch shop/feature/cart",
      "database shop/main/catalog",
      "database shop/feature/cart/catalog",
    ]);
    expect(await created("shop/main")).toEqual([
      "project shop",
      "database shop/main/catalog",
      "service shop/main/web",
      "database shop/main/reports",
    ]);
    expect(await created("shop")).toHaveLength(6);
    expect(await created("shop/main/web", "shop/main/catalog")).toHaveLength(3);
  });

  it("applies only that, also with --prune and a saved plan", async () => {
    write(shop);
    expect((await mgmt`apply --target shop/main/reports`).status).toBe(0);
    const { rows } = here.session.server.engine;
    const ids = (): (string | null)[] =>
      [...rows.databases.list({})].map(({ logicalId }) => logicalId).sort();
    expect(ids()).toEqual(["catalog", "reports"]);
    await mgmt`plan --target shop/main/web --out plan.json`;
    expect((await mgmt`apply plan.json`).status).toBe(0);
    expect(rows.apps.list({})).toHaveLength(1);
    write(shop.replace(/ +services:\n.*\n/, "").replace(/ +reports:\n.*\n.*\n/, ""));
    expect((await mgmt`apply --prune --yes --target shop/main/web`).status).toBe(0);
    expect(rows.apps.list({})).toHaveLength(0);
    expect(ids()).toEqual(["catalog", "reports"]);
  });

  it("warns only about what it selects", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace("eu-west-3", "us-west-1"));
    expect((await mgmt`plan`).stderr).toContain("cannot be changed");
    expect((await mgmt`plan --target shop/main/web`).stderr).toBe("");
  });

  it("refuses a name that means nothing or several entries, and a saved plan", async () => {
    write(shop.replace("web: {}", "catalog: {}"));
    const before = countRequests();
    const unknown = await mgmt`plan --target shop/main/reprots`;
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain("target:not_found");
    expect(unknown.stderr).toContain("Did you mean shop/main/reports?");
    const several = await mgmt`apply --target shop/main/catalog`;
    expect(several.status).toBe(2);
    expect(several.stderr).toContain("database shop/main/catalog, service shop/main/catalog");
    expect(await created("service shop/main/catalog")).toEqual(["project shop", "service shop/main/catalog"]);
    write("{}", "plan.json");
    expect((await mgmt`apply plan.json --target shop`).stderr).toContain("--target");
    expect(writesSince(before)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { type Setup, inProcess, runInProcess } from "../../../test/in-process.js";
import { shop, useProvisioning } from "../../../test/provisioning.js";
import type { Mgmt, Result } from "../../../test/result.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;
const run = (line: readonly string[], setup: Setup = {}): Promise<Result> =>
  runInProcess(line, { cwd: here.folder, env: here.session.env, ...setup });
const withSetup = (setup: Setup): Mgmt =>
  inProcess({ cwd: here.folder, ...setup, env: { ...here.session.env, ...setup.env } });

describe("mgmt plan --exit-code", () => {
  it("exits with 2 if there are changes, and with 0 if there are none", async () => {
    write(shop);
    const changed = await mgmt`plan --exit-code`;
    expect(changed.status).toBe(2);
    expect(changed.stderr).not.toContain("error");
    expect(changed.stdout).toContain("6 to create");
    expect(await mgmt`plan --exit-code -o json`).toMatchObject({ status: 2, json: { version: 1 } });
    expect((await mgmt`plan`).status).toBe(0);
    await mgmt`apply`;
    expect(await mgmt`plan --exit-code`).toMatchObject({ status: 0, stdout: "No changes.\n" });
  });

  it.each([
    ["--file missing.yaml", 2],
    ["--nosuch", 2],
    ["--file bad.yaml", 2],
    ["--base-url http://127.0.0.1:1", 9],
  ])("exits with 1 after an error, with %s", async (flags, without) => {
    write(shop);
    write("version: 2", "bad.yaml");
    const line = flags.split(" ");
    expect((await run(["plan", ...line])).status).toBe(without);
    const { status, stdout, stderr } = await run(["plan", "--exit-code", ...line]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^error: /m);
  });
});

describe("a plan on a terminal with colors", () => {
  const color = { FORCE_COLOR: "1" };
  const changed = shop.replace("name: Shop", "name: Store").replace(/ +reports:\n.*\n.*\n/, "");

  it("is green where it creates, yellow where it changes, and red where it deletes", async () => {
    write(shop);
    const created = await withSetup({ env: color })`plan`;
    expect(created.stdout).toContain("\u001b[32m+ project shop\u001b[39m\n");
    await mgmt`apply`;
    write(changed);
    const { stdout } = await withSetup({ env: color })`plan --prune`;
    expect(stdout).toMatch(/^\u001b\[33m~ project shop \(proj_\w+\)\u001b\[39m\n {4}name: /);
    expect(stdout).toMatch(/\n\u001b\[31m- database shop\/main\/reports \(db_\w+\)\u001b\[39m\n/);
    expect(stdout).toContain(
      "Plan: 0 to create, \u001b[33m1 to change\u001b[39m, \u001b[31m1 to delete\u001b[39m.\n",
    );
    const applied = await withSetup({ env: color })`apply --prune --yes`;
    expect(applied.stderr).toContain("\u001b[33m~ project shop");
    expect((await withSetup({ env: { ...color, NO_COLOR: "1" } })`plan`).stdout).not.toContain("\u001b");
  });

  it("has no color in files and pipes, and shows control characters as escapes", async () => {
    write('version: 1\nprojects: { shop: { name: "a\\e[31mb" } }');
    expect((await mgmt`plan`).stdout).not.toContain("\u001b");
    expect((await withSetup({ env: color })`plan`).stdout).toContain('name: "a\\u001b[31mb"');
  });
});

describe("mgmt apply on a terminal", () => {
  const answer =
    (key: string): NonNullable<Setup["reply"]> =>
    (stderr) =>
      stderr.includes("Continue?") ? key : undefined;

  it("asks after it has shown the plan, and changes nothing without a yes", async () => {
    write(shop);
    const before = countRequests();
    const refused = await withSetup({ terminal: true, reply: answer("n\n") })`apply`;
    expect(refused.status).toBe(3);
    expect(refused.stderr).toMatch(/6 to create[^]*This will apply these 6 changes\. Continue\?/);
    expect(writesSince(before)).toEqual([]);
    expect((await withSetup({ terminal: true, reply: answer("y\n") })`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("does not ask with --yes, in CI, about a saved plan that deletes nothing, or without changes", async () => {
    write(shop);
    await mgmt`plan --out plan.json`;
    for (const line of [["plan.json"], ["--yes"], []]) {
      const { status, stderr } = await run(["apply", ...line], { terminal: true });
      expect(status).toBe(0);
      expect(stderr).not.toContain("Continue?");
    }
    write(shop.replace("name: Shop", "name: Store"));
    expect((await withSetup({ terminal: true, env: { CI: "true" } })`apply`).status).toBe(0);
  });

  it("asks once about the whole plan, and names what it deletes", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace(/ +services:\n.*\n/, "").replace("name: Shop", "name: Store"));
    const before = countRequests();
    const refused = await withSetup({ terminal: true, reply: answer("n\n") })`apply --prune`;
    expect(refused.status).toBe(3);
    expect(refused.stderr).toContain(
      "This will apply these 2 changes, which delete service shop/main/web. Continue?",
    );
    expect((await mgmt`apply --prune`).stderr).toContain("which delete service shop/main/web, but");
    expect(writesSince(before)).toEqual([]);
    expect((await withSetup({ terminal: true, reply: answer("y\n") })`apply --prune`).status).toBe(0);
    expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
  });

  it("asks about a saved plan that deletes", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace(/ +services:\n.*\n/, ""));
    await mgmt`plan --prune --out plan.json`;
    const { status, stderr } = await withSetup({ terminal: true, reply: answer("n\n") })`apply plan.json`;
    expect(status).toBe(3);
    expect(stderr).toContain("This will delete service shop/main/web. Continue?");
    expect((await mgmt`apply plan.json`).status).toBe(3);
  });
});

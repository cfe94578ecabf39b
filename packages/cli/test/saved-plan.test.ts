import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shop, useProvisioning } from "./provisioning.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

const failureOf = (stderr: string): { code: string; message: string; hint?: string } =>
  (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: { code: string; message: string } }).error;

describe("mgmt apply of a saved plan", () => {
  it("applies it", async () => {
    write(shop);
    expect((await mgmt`plan --out plan.json`).stderr).toContain("mgmt apply plan.json");
    expect((await mgmt`apply plan.json`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("refuses it after any change, exits with 7, and writes nothing", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace("name: Shop", "name: Store"));
    await mgmt`plan --out plan.json`;
    const [service] = (await mgmt`services list -o json`).json as { id: string }[];
    await mgmt`services update ${service?.id ?? ""} --display-name renamed`;
    const before = countRequests();
    const refused = await mgmt`apply plan.json -o json`;
    expect(refused).toMatchObject({ status: 7, stdout: "" });
    expect(failureOf(refused.stderr)).toMatchObject({
      code: "plan:outdated",
      message: expect.stringContaining("displayName of service shop/main/web has changed"),
    });
    expect(writesSince(before)).toEqual([]);
  });

  it("refuses what appeared, went away or was replaced", async () => {
    write(shop);
    await mgmt`plan --out new.json`;
    await mgmt`apply`;
    expect((await mgmt`apply new.json`).stderr).toContain("project shop is new");
    await mgmt`plan --out same.json`;
    const [database] = (await mgmt`databases list --logical-id reports -o json`).json as {
      id: string;
      project: { id: string };
    }[];
    await mgmt`databases delete ${database?.id ?? ""} --yes`;
    expect((await mgmt`apply same.json`).stderr).toContain("database shop/main/reports is gone");
    await mgmt`databases create --project-id ${database?.project.id ?? ""} --logical-id reports --region eu-west-3`;
    expect((await mgmt`apply same.json`).stderr).toContain("database shop/main/reports was replaced");
  });

  it("refuses the plan of another service, other files, and other flags", async () => {
    write(shop);
    await mgmt`plan --out plan.json`;
    const text = readFileSync(join(here.folder, "plan.json"), "utf8");
    write(text.replace(here.session.server.baseUrl, "https://other.example.com"), "other.json");
    expect(await mgmt`apply other.json`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("plan:other_service"),
    });
    for (const content of [
      "",
      "[]",
      "{}",
      shop,
      text.replace('"version": 1', '"version": 2'),
      text.replaceAll('"database"', '"table"'),
    ]) {
      write(content, "bad.json");
      expect(await mgmt`apply bad.json`).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("plan:invalid"),
      });
    }
    expect((await mgmt`apply plan.json --prune`).status).toBe(2);
    expect((await mgmt`apply missing.json`).stderr).toContain("usage:unreadable_file");
  });
});

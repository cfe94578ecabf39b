import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../test/commands/auth/account.js";
import { type ShopFolder, useShopFolder } from "../../test/shop-folder.js";

const current = useShopFolder((path) => `shop-${path.slice(-6)}`);
let account: Account;
let folder: string;
let projectId: string;
let run: ShopFolder["run"];
beforeEach(() => {
  ({ account, folder, projectId, run } = current());
});

describe("--pooled", () => {
  it("connects mgmt env, mgmt run and mgmt psql through the pooler", async () => {
    const pooled = (await run("connection-string --pooled")).stdout.trim();
    const { host } = new URL(pooled);
    expect(host).not.toBe(new URL((await run("connection-string --direct")).stdout).host);
    expect((await run("env --pooled")).status).toBe(0);
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe(`DATABASE_URL="${pooled}"\n`);

    const print = (variable: string): string[] => [
      ...[process.execPath, "-e"],
      `require("fs").writeFileSync("out", process.env.${variable} ?? "")`,
    ];
    const env = { PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`, MGMT_PROJECT_ID: projectId };
    const line = ["run", "--pooled", "--", ...print("DATABASE_URL")];
    expect((await account.run(line, { cwd: folder, env })).status).toBe(0);
    expect(readFileSync(join(folder, "out"), "utf8")).toBe(pooled);
    writeFileSync(join(folder, "psql"), '#!/bin/sh\nprintf %s "$PGHOST" > out\n', { mode: 0o755 });
    expect((await account.run(["psql", "--pooled"], { cwd: folder, env })).status).toBe(0);
    expect(readFileSync(join(folder, "out"), "utf8")).toBe(new URL(pooled).hostname);
  });
});

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inProcess } from "../../test/in-process.js";
import type { Mgmt } from "../../test/result.js";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";

const { place, shop } = useRecordedPlace();

describe("the connection string of a preview", () => {
  it("is in an env file that only the user can read, and is not printed then", async () => {
    writeFileSync(join(place.folder, "kept.env"), "A=1\n", { mode: 0o600 });
    const { stdout, stderr } =
      await place.mgmt`preview up --branch a --file kept.env --name TEST_URL -o json`;
    const content = readFileSync(join(place.folder, "kept.env"), "utf8");
    expect(content).toMatch(/^A=1\nTEST_URL="postgresql:\/\/.+"\n$/);
    const { password } = new URL(/"(.+)"/.exec(content)?.[1] ?? "");
    expect(stdout + stderr).not.toContain(password);
    await place.mgmt`preview up --branch a --file new.env`;
    expect(statSync(join(place.folder, "new.env")).mode & 0o777).toBe(0o600);
  });

  it("is in an env file with a warning if git does not ignore it, or others can read it", async () => {
    const up = (): ReturnType<Mgmt> => place.mgmt`preview up --branch a --file .env -o json`;
    const tracked = { warning: expect.objectContaining({ code: "env:tracked" }) };
    expect(await up()).toMatchObject({ status: 0, errors: [tracked] });
    shop.ignored = [".env"];
    expect(await up()).toMatchObject({ status: 0, stderr: "" });
    if (process.platform === "win32") return;
    chmodSync(join(place.folder, ".env"), 0o644);
    const open = { warning: expect.objectContaining({ code: "env:open_mode" }) };
    expect(await up()).toMatchObject({ status: 0, errors: [open] });
  });

  it("is appended to the environment file of GitHub Actions, after its masks", async () => {
    writeFileSync(join(place.folder, "github.env"), "A=1\n");
    const variables = { GITHUB_ACTIONS: "true", GITHUB_ENV: join(place.folder, "github.env") };
    const actions = inProcess({ env: { ...place.env, ...variables }, cwd: place.folder });
    const { status, stdout, stderr } = await actions`preview up --branch a --file github.env`;
    expect(status).toBe(0);
    const url =
      /^A=1\nDATABASE_URL<<(\S+)\n(\S+)\n\1\n$/.exec(
        readFileSync(join(place.folder, "github.env"), "utf8"),
      )?.[2] ?? "";
    const { password } = new URL(url);
    const masks = [...stderr.matchAll(/^::add-mask::(.+)$/gm)].map(([, value]) => value);
    expect(masks).toEqual(expect.arrayContaining([url, password]));
    const messages = stderr.replaceAll(/^::add-mask::.+\n/gm, "");
    expect(stdout + messages).not.toContain(password);
    const withSecrets = await actions`preview up --branch a --show-secrets`;
    expect(withSecrets.stderr).toContain(`::add-mask::${url}`);
  });

  it("is that of the pooler with --pooled", async () => {
    const direct = ((await place.mgmt`preview up --branch a -o json`).json as Up).connectionString;
    const { json } = await place.mgmt`preview up --branch a --pooled -o json`;
    expect((json as Up).connectionString).not.toBe(direct);
    expect((json as Up).connectionString).toMatch(/^postgres/);
  });

  it("is printed with a notice if the preview has expired", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json`).json as Up;
    await place.expire(databaseId);
    expect((await place.mgmt`preview up --branch a`).stderr).toContain("expired at 2020-01-01T00:00:00Z");
    expect((await place.mgmt`preview up --branch a --expires 7d`).stderr).not.toContain("expired");
  });

  it("is not printed if its file cannot be written", async () => {
    mkdirSync(join(place.folder, "folder.env"));
    const { status, stderr } = await place.mgmt`preview up --branch a --file folder.env`;
    expect(status).toBe(1);
    expect(stderr).toContain("env:unwritable");
    expect(stderr).not.toContain("postgresql://");
  });

  it("has an error after it if it is not known whether the setup has run", async () => {
    const { status, json, stderr } = await place.mgmt`preview up --branch a -o json ${"--setup=exit 7"}`;
    expect({ status, json }).toMatchObject({ status: 9, json: { created: true, setup: "failed" } });
    expect(stderr).toContain("database:unreachable");
  });
});

import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { useRecordedPlace } from "../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("the connection string of a preview", () => {
  it.each([
    ["--file=-", { CI: "true" }, 2, "Pass --file PATH or"],
    ["--file=- --secret-file=new.json", { CI: "true" }, 2, "secrets:in_log"],
    ["--file=-", {}, 0, ""],
    ["--show-secrets --file=-", { CI: "true" }, 0, ""],
    ["--dry-run --file=-", { CI: "true" }, 0, ""],
    ["--dry-run --secret-file=new.json", {}, 0, ""],
    ["--github-env=URL", {}, 2, "github:not_running"],
    ["--dry-run --github-env=URL", {}, 0, ""],
  ])("goes with %s in %j only where no log keeps it", async (flags, variables, status, text) => {
    const [first = "", second = "--timeout=5m"] = flags.split(" ");
    const before = place.requestCount;
    const result = await place.mgmtIn(place.folder, variables)`preview up --branch a ${first} ${second}`;
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(text) });
    if (status !== 0) expect(place.requestCount).toBe(before);
  });

  it("is one line of JSON with --secret-file -", async () => {
    const { stdout } = await place.mgmt`preview up --branch a --secret-file -`;
    expect(JSON.parse(stdout)).toMatchObject({ branch: "a", connectionString: expect.any(String) });
    expect(stdout.trimEnd()).not.toContain("\n");
  });

  it("is set in the environment file of GitHub Actions, however --file names it", async () => {
    const folder = mkdtempSync(join(place.base, "github-"));
    const file = join(folder, "env");
    writeFileSync(file, "");
    for (const path of [file, relative(place.folder, file)]) {
      const variables = { GITHUB_ENV: file };
      const result = await place.mgmtIn(
        place.folder,
        variables,
      )`preview up --branch a --file ${path} --name URL`;
      expect(result).toMatchObject({ status: 0, stdout: expect.not.stringContaining("postgresql") });
    }
    expect(readFileSync(file, "utf8").match(/^URL<<mgmt_\S+$/gm)).toHaveLength(2);
  });

  it("is written to its file, which the command names in the end, also after a failure", async () => {
    const { stderr } = await place.mgmt`preview up --branch a --secret-file first.json`;
    expect(stderr).toContain(`Wrote the secrets to ${join(place.folder, "first.json")}.`);
    place.session.server.engine.faults.add({ operation: "databases.list", status: 422 });
    expect((await place.mgmt`preview up --branch b --secret-file second.json`).status).not.toBe(0);
    expect(existsSync(join(place.folder, "second.json"))).toBe(false);
  });

  it("is not created where its file cannot be written: nothing was sent", async () => {
    symlinkSync("/nowhere", join(place.folder, "linked"));
    const before = place.requestCount;
    for (const flag of ["--secret-file=linked", "--gitlab-dotenv=linked", "--secret-file=no/folder"]) {
      const { status, stdout } = await place.mgmt`preview up --branch a ${flag}`;
      expect({ flag, isRejected: status !== 0, stdout }).toEqual({ flag, isRejected: true, stdout: "" });
    }
    expect(place.requestCount).toBe(before);
  });
});

import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";

describe("the help of a flag", () => {
  it("shows its allowed values, default and bounds", async () => {
    const { stdout } = await runInProcess(["projects", "databases", "create", "--help"]);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "one of: us-east-1, us-west-1, eu-west-3, eu-central-1, ap-northeast-1, ap-southeast-1, inherit",
    );
    expect(text).toContain("default: the source's region, else the project's");
    expect((await runInProcess(["projects", "list", "-h"])).stdout.replaceAll(/\s+/g, " ")).toContain(
      "1 to 1000; default: 100",
    );
  });

  it("says what a switch does, and its default only if it is on", async () => {
    const text = (await runInProcess(["databases", "create", "--help"])).stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("--is-default Make it the project's default database.");
    expect(text).not.toMatch(/Whether to|default: false/);
    const name = /--name <text> (.*?) --region/.exec(text)?.[1];
    expect(name).toBe("Display name. (at most 256 characters; default: the logical id, or a generated name)");
  });

  it("says how to remove its value", async () => {
    const { stdout } = await runInProcess(["services", "update", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "remove a value: logical-id, branch-id, branch-git-name",
    );
  });
});

import { describe, expect, it } from "vitest";
import { groups } from "../../contract/generated/groups.js";
import { getOverride } from "../../contract/command-override.js";
import { buildExamples } from "../../run/examples.js";
import { runInProcess } from "../../../test/in-process.js";
import { createSecretFile, exampleWords, definitions } from "../../../test/operation-examples.js";

const secretFile = createSecretFile();

describe("help", () => {
  it.each(definitions.map((definition) => [definition.words.join(" "), definition] as const))(
    "describes mgmt %s",
    async (line, definition) => {
      const { status, stdout, stderr } = await runInProcess([...definition.words, "--help"]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toContain(`Usage: mgmt ${line}`);
      expect(stdout).toContain(definition.summary);
      for (const { label } of definition.arguments) expect(stdout).toMatch(new RegExp(`[<[]${label}[\\]>.]`));
      for (const { flag, secret } of [...definition.query, ...(definition.body?.fields ?? [])]) {
        expect(stdout).toContain(`--${flag}${secret ? "-file <path>" : ""}`);
      }
      if (definition.deprecated)
        expect(stdout).toContain(`Deprecated: use mgmt ${definition.deprecated.replacedBy.join(" ")}.`);
      expect(stdout).toContain("Examples:");
      expect(stdout).not.toMatch(/undefined|\[object|\{\}$/m);
    },
  );

  it.each(groups.map(({ name }) => name))("lists the commands of mgmt %s", async (name) => {
    const { status, stdout } = await runInProcess([name, "--help"]);
    expect(status).toBe(0);
    for (const { id, words } of definitions.filter((definition) => definition.words[0] === name)) {
      if (getOverride(id).sameAs === undefined)
        expect(stdout).toMatch(new RegExp(`^  ${words[1] ?? ""} +\\S`, "m"));
    }
  });

  it("describes mgmt dev and mgmt operations", async () => {
    const dev = await runInProcess(["dev", "--help"]);
    for (const flag of ["--port", "--data-dir", "--ephemeral", "--oauth-client"])
      expect(dev.stdout).toContain(flag);
    expect(dev.stdout.replaceAll(/\s+/g, " ")).toContain("(default: 4300)");
    expect((await runInProcess(["operations", "--help"])).stdout).toContain("--output");
  });

  const examples = definitions.flatMap((definition) => buildExamples(definition, getOverride(definition.id)));
  it.each(examples)("shows a valid example: %s", async (example) => {
    // The missing token is reported only after the whole line was parsed and found valid.
    expect(await runInProcess(exampleWords(example, secretFile))).toMatchObject({
      status: 4,
      stderr: expect.stringContaining("auth:no_token"),
    });
  });

  it("shows the allowed values, default and bounds of a flag", async () => {
    const { stdout } = await runInProcess(["projects", "databases", "create", "--help"]);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "one of: us-east-1, us-west-1, eu-west-3, eu-central-1, ap-northeast-1, ap-southeast-1, inherit",
    );
    expect(text).toContain("default: that of the source, else of the project");
    expect((await runInProcess(["projects", "list", "-h"])).stdout.replaceAll(/\s+/g, " ")).toContain(
      "1 to 1000; default: 100",
    );
  });

  it("shows for ensure no example of create", async () => {
    const { stdout } = await runInProcess(["projects", "ensure", "--help"]);
    expect(stdout).toContain("mgmt projects ensure shop");
    expect(stdout).not.toContain("mgmt projects create");
  });

  it("says what a switch does, and only defaults that are on", async () => {
    const text = (await runInProcess(["databases", "create", "--help"])).stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("--is-default Make it the project's default database.");
    expect(text).not.toMatch(/Whether to|default: false/);
    const name = /--name <text> (.*?) --region/.exec(text)?.[1];
    expect(name).toBe("Display name. (at most 256 characters; default: the logical id, or a generated name)");
  });

  it("shows how to remove a value", async () => {
    const { stdout } = await runInProcess(["services", "update", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "remove a value: logical-id, branch-id, branch-git-name",
    );
  });
});

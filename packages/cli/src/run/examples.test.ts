import { describe, expect, it } from "vitest";
import { getOverride } from "../contract/command-override.js";
import { buildExamples } from "./examples.js";
import { runInProcess } from "../../test/in-process.js";
import { createSecretFile, definitions, exampleWords } from "../../test/operation-examples.js";

const secretFile = createSecretFile();

describe("the examples of an operation", () => {
  const examples = definitions.flatMap((definition) => buildExamples(definition, getOverride(definition.id)));
  it.each(examples)("are valid: %s", async (example) => {
    // The missing token is reported only after the whole line was parsed and found valid.
    expect(await runInProcess(exampleWords(example, secretFile))).toMatchObject({
      status: 4,
      stderr: expect.stringContaining("auth:no_token"),
    });
  });

  it("are for ensure none of create", async () => {
    const { stdout } = await runInProcess(["projects", "ensure", "--help"]);
    expect(stdout).toContain("mgmt projects ensure shop");
    expect(stdout).not.toContain("mgmt projects create");
  });
});

import { describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { getOverride } from "../contract/command-override.js";
import { runInProcess } from "../../test/in-process.js";
import { definitions } from "../../test/operation-examples.js";

describe("the help of a group", () => {
  it.each(groups.map(({ name }) => name))("lists its commands: mgmt %s", async (name) => {
    const { status, stdout } = await runInProcess([name, "--help"]);
    expect(status).toBe(0);
    for (const { id, commandPath } of definitions.filter(
      (definition) => definition.commandPath[0] === name,
    )) {
      if (getOverride(id).sameAs === undefined)
        expect(stdout).toMatch(new RegExp(`^  ${commandPath[1] ?? ""} +\\S`, "m"));
    }
  });
});

import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { definitions } from "../../test/operation-examples.js";

describe("the help of an operation", () => {
  it.each(definitions.map((definition) => [definition.commandPath.join(" "), definition] as const))(
    "has its arguments, flags, and examples: mgmt %s",
    async (line, definition) => {
      const { status, stdout, stderr } = await runInProcess([...definition.commandPath, "--help"]);
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
});

import { describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { commandOverrides } from "../contract/command-override.js";
import { runInProcess } from "../../test/in-process.js";
import { definitions } from "../../test/operation-examples.js";
import { definedCommands } from "../../test/program.js";

const lines = (await definedCommands()).map(({ line }) => line.split(" ").slice(1));
const printed = async (words: readonly string[], columns: number): Promise<string> => {
  const { status, stdout, stderr } = await runInProcess(words, { terminal: true, columns });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};

describe("the overview", () => {
  it("fits on a screen of 50 lines with 80 columns", async () => {
    const text = (await printed(["--help"], 80)).trimEnd();
    expect(text.split("\n").length).toBeLessThanOrEqual(50);
    expect(text).not.toMatch(/Global options|MGMT_|130/);
  });

  it("starts with what a new user needs, and names every command that is not hidden once", async () => {
    const text = await printed(["--help"], 200);
    const sections = [...text.matchAll(/^(\w[\w ]+):$/gm)].map(([, title]) => title);
    expect(sections.slice(0, 2)).toEqual(["Start here", "Resources"]);
    const first = /Start here:\n((?: {2}.*\n)+)/.exec(text)?.[1] ?? "";
    expect([...first.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual([
      "dev",
      "login",
      "link",
      "env",
      "psql",
    ]);
    const names = new Set(lines.flatMap(([name]) => name ?? []));
    expect(names).not.toContain("apps");
    expect(names).not.toContain("me");
    for (const name of names) {
      const asTerm = new RegExp(`^  ${name} `, "gm");
      const inList = new RegExp(`(?<=^  (?:Account|About) .*)(?<=[ ,])${name}(?=,|$)`, "gm");
      expect({ name, count: [...text.matchAll(asTerm), ...text.matchAll(inList)].length }).toEqual({
        name,
        count: 1,
      });
    }
  });

  it.each([
    ["no command", []],
    ["mgmt help", ["help"]],
  ])("is the overview for %s", async (_, words) => {
    expect(await printed(words, 80)).toBe(await printed(["--help"], 80));
  });

  it("lists groups without their hidden commands", () => {
    expect(groups.map(({ name }) => name)).toContain("apps");
    expect(lines.some(([name]) => name === "apps")).toBe(false);
  });
});

describe("a command that does the same as another", () => {
  it.each(Object.entries(commandOverrides).filter(([, { sameAs }]) => sameAs !== undefined))(
    "is in no list, works, and names the other: %s",
    async (id, { sameAs = "" }) => {
      const { commandPath = [] } = definitions.find((definition) => definition.id === id) ?? {};
      expect(lines.map((line) => line.join(" "))).not.toContain(commandPath.join(" "));
      expect(await printed([...commandPath, "--help"], 200)).toContain(`The same as mgmt ${sameAs}.`);
      const other = sameAs.split(" ").filter((word) => !/^(--|[A-Z]|postgres$|accelerate$)/.test(word));
      expect(lines.map((line) => line.join(" "))).toContain(other.join(" "));
    },
  );

  it("is not suggested for a typo, and neither is a deprecated one", async () => {
    const { stderr } = await runInProcess(["ap"]);
    expect(stderr).toContain("mgmt api");
    expect(stderr).not.toContain("mgmt apps");
    expect((await runInProcess(["projects", "databses"])).stderr).not.toContain("mgmt projects databases");
  });
});

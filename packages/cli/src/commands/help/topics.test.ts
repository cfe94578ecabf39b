import { describe, expect, it } from "vitest";
import { topics } from "./topics.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";

describe("mgmt help", () => {
  it.each(topics.map(({ name }) => name))(
    "explains the topic %s, no line wider than the terminal",
    async (name) => {
      for (const columns of [undefined, 40, 80, 200]) {
        const setup = columns === undefined ? {} : { terminal: true, columns };
        const { status, stdout, stderr } = await runInProcess(["help", name], setup);
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        expect(stdout).not.toContain("`");
        const lines = stdout.split("\n").filter((line) => line.length > (columns ?? 80));
        // A single word cannot be broken.
        expect(lines.filter((line) => !/^ *("[^"]*"|'[^']*'|\S+)( \\)?$/.test(line))).toEqual([]);
      }
    },
  );

  it("names every topic in the overview and in its own help", async () => {
    const names = topics.map(({ name }) => name);
    expect((await runInProcess(["--help"])).stdout).toContain(names.join(", "));
    const { stdout } = await runInProcess(["help", "--help"]);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  it("prints a topic as data", async () => {
    expect((await inProcess()`help names -o json`).json).toMatchObject({
      name: "names",
      text: expect.stringContaining("shop/main/reports"),
    });
  });
});

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readCliHelp } from "../../../../../scripts/cli-help.js";
import { manPages } from "../../../../../scripts/man-pages.js";
import manifest from "../../../package.json";
import { topics } from "../../../src/commands/help/topics.js";

const commands = await readCliHelp();
const pages = manPages(commands, topics, manifest.version);

describe("the manual pages", () => {
  it("are the ones that the package lists", () => {
    expect(manifest.man).toEqual([...pages.keys()].map((name) => `./dist/man/${name}.gz`));
  });

  it("describe every command and topic", () => {
    const plain = [...pages.values()].join("\n").replaceAll("\\-", "-");
    for (const { command, subcommands } of commands.slice(1)) {
      if (subcommands.length === 0) expect(plain).toContain(`.SS ${command}\n`);
    }
    for (const { summary } of topics)
      expect(pages.get("mgmt.1")?.replaceAll("\\-", "-")).toContain(`${summary}.\n`);
  });

  it("are roff, with no line that starts a request by accident", () => {
    for (const [name, page] of pages) {
      expect(page).toMatch(/^\.TH "MGMT/);
      const requests = page.split("\n").filter((line) => /^[.']/.test(line));
      for (const line of requests)
        expect({ name, line }).toEqual({
          name,
          line: expect.stringMatching(/^\.(TH|SH|SS|PP|TP|BR|nf|fi)\b/),
        });
    }
  });

  const hasGroff = spawnSync("groff", ["--version"]).status === 0;
  it.runIf(hasGroff).each(["mgmt.1", "mgmt-databases.1", "mgmt-account.1"])(
    "render without a warning: %s",
    (name) => {
      const { status, stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww"], {
        input: pages.get(name) ?? "",
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      // Bold letters are printed twice.
      expect(stdout.replaceAll(/.\u0008/g, "")).toContain("NAME\n");
      expect(stdout).not.toContain("\\f");
    },
  );
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replaceMgmtCommand } from "./mgmt-command.js";

const npx = { npm_lifecycle_event: "npx", npm_lifecycle_script: "mgmt" };

describe("a message of a command that npx has started", () => {
  it.each([
    ["Run mgmt projects list to see your projects."],
    ["`mgmt dev` runs it on this machine."],
    ["mgmt auth status shows it. Log in again with mgmt login, or correct MGMT_TOKEN."],
    ["Set a default project: mgmt link --project-id ID"],
    ["mgmt login creates one, and so does mgmt config set base-url URL."],
    ["It was made without git (mgmt preview down deletes it)"],
    ["The same mgmt preview up continues; mgmt preview down deletes what exists."],
    ["mgmt projects --help lists the commands."],
  ])("names commands as npx runs them: %s", (message) => {
    expect(replaceMgmtCommand(message, npx)).toBe(
      message.replaceAll(/\bmgmt /g, "npx @mgmt/cli ").replaceAll("`mgmt`", "`npx @mgmt/cli`"),
    );
    expect(replaceMgmtCommand(message, {})).toBe(message);
  });

  it.each([
    ['No project has the name "Run mgmt projects list"'],
    ['No project has the name "a \\" Run mgmt projects list"'],
    ["Run npm test -- 'x. mgmt dev' again."],
    ["Did you mean mgmt dev or mgmt psql?"],
    ["Pass an id or a full name: proj_1 (shop, mgmt dev), proj_2."],
    ["mgmt dev is not running"],
    ["The mgmt dev of profile local is not running"],
    ["Pass an id as mgmt prints it."],
    ["The file mgmt.yaml and the folder .mgmt do not exist."],
    ["npx --package @mgmt/cli@1.0.0 --package @mgmt/platform@1.0.0 mgmt dev"],
  ])("changes nothing else: %s", (message) => {
    expect(replaceMgmtCommand(message, npx)).toBe(message);
  });

  it("names every command of the errors so, except where mgmt dev is a service", () => {
    const folder = new URL("../errors/", import.meta.url);
    const sources = readdirSync(folder).filter((name) => !name.endsWith(".test.ts"));
    const texts = sources.flatMap((name) => {
      const source = readFileSync(new URL(name, folder), "utf8").replaceAll(/^ *(?:\/\*\*|\*|\/\/).*$/gm, "");
      return [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, quoted, template]) =>
        (quoted ?? template ?? "").replaceAll("\\`", "`"),
      );
    });
    const named = texts.map((text) => replaceMgmtCommand(text, npx));
    expect(named.filter((text) => text.includes("npx @mgmt/cli")).length).toBeGreaterThan(50);
    const others = named.flatMap(
      (text) =>
        text.match(
          /(?<!@|another |running |your |so |A )\bmgmt (?:dev(?! (?:cannot|is|needs|of|refused|then)\b)|(?!dev\b)[a-z]+)/g,
        ) ?? [],
    );
    // A description of the program, a note in parentheses, and a sentence that starts after another template.
    expect(new Set(others)).toEqual(new Set(["mgmt is", "mgmt command", "mgmt db", "mgmt projects"]));
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findOpenQuoteLine, replaceAssignments } from "./env-file.js";
import { useShopFolder } from "../../test/shop-folder.js";
import type { Result } from "../../test/result.js";

const current = useShopFolder();
let folder: string;
beforeEach(() => {
  ({ folder } = current());
});

const run = (line: string): Promise<Result> => current().run(line);
const read = (name = ".env"): string => readFileSync(join(folder, name), "utf8");
const write = (text: string, name = ".env"): void => writeFileSync(join(folder, name), text);

describe("an env file", () => {
  it.each([
    ["", 'URL="x"\n'],
    ["A=1", 'A=1\nURL="x"\n'],
    ["A=1\r\n", 'A=1\r\nURL="x"\r\n'],
    ["URL=old\nB=2\n", 'URL="x"\nB=2\n'],
    ["URL=old # why\r\nB=2", 'URL="x" # why\r\nB=2'],
    ['  export URL = "a\nb" # c\nB=2\n', '  export URL = "x" # c\nB=2\n'],
    ["URL='a#b'\n", 'URL="x"\n'],
    ["URL=1\nA=2\nexport URL='3' # c\n", 'URL="x"\nA=2\nexport URL="x" # c\n'],
    ["MY_URL=1\n#URL=2\nURLS=3\n", 'MY_URL=1\n#URL=2\nURLS=3\nURL="x"\n'],
    ["URL=\n", 'URL="x"\n'],
    ["\u00ff\u00e9=\u00e4\n", '\u00ff\u00e9=\u00e4\nURL="x"\n'],
    ['A="first\nURL=inside\nlast"\nB=2\n', 'A="first\nURL=inside\nlast"\nB=2\nURL="x"\n'],
    ['URL=old\nA="first\nURL=inside"\n', 'URL="x"\nA="first\nURL=inside"\n'],
    ["A='first\r\nURL=inside'\r\nURL=old\r\n", "A='first\r\nURL=inside'\r\nURL=\"x\"\r\n"],
    ["A=`first\nURL=inside`\n", 'A=`first\nURL=inside`\nURL="x"\n'],
    ['A="a \\"\nURL=inside\n\\"" # c\nURL=old\n', 'A="a \\"\nURL=inside\n\\"" # c\nURL="x"\n'],
    ['A="C:\\"\nURL="old"\n', 'A="C:\\"\nURL="x"\n'],
    ["# don't \"\nURL=old\nB=it's\n", '# don\'t "\nURL="x"\nB=it\'s\n'],
  ])("preserves everything but the variable: %j", (before, after) => {
    expect(replaceAssignments(before, "URL", "x")).toBe(after);
  });

  it.each([
    ['A="open', 1],
    ["A=1\r\nB='open\r\nURL=old\r\n", 2],
    ["A='open\nURL='old'\n", 1],
    ['# "\nA=`open # comment\nURL="x"\n', 2],
    ['A="\n', 1],
    ['A="two\nlines"\n  export B = "open \\" here\nURL="x"\n', 3],
  ])("has a quote that is not closed: %j", (text, line) => {
    expect(findOpenQuoteLine(text)).toBe(line);
  });

  it.each([
    "A=it's\n",
    'A="a"b\n',
    'A="C:\\"\nB=1\n',
    'A="two\nlines" # c\n',
    "A=''\n",
    "# don't\n",
    "it's\n",
    'A="it\'s"\n',
  ])("has no quote that is not closed: %j", (text) => {
    expect(findOpenQuoteLine(text)).toBeUndefined();
  });

  it("has the new value on every line that sets the variable, and the command says so", async () => {
    write("DATABASE_URL=first\nA=1\nDATABASE_URL='second'\n");
    const { status, stderr } = await run("env");
    expect(status).toBe(0);
    expect(stderr).toContain("on each of the 2 lines that set it.");
    expect(read()).toMatch(/^DATABASE_URL=("postgresql:[^"]+")\nA=1\nDATABASE_URL=\1\n$/);
    expect((await run("env")).stderr).toContain("already has this DATABASE_URL, on each of the 2 lines");
  });

  it("is not changed if a quote in it is not closed, and the error names the line", async () => {
    const text = 'A=1\nPASSWORD="s3cr3t\nB=2\n';
    write(text);
    const { status, stdout, stderr } = await run("env");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(
      /\.env cannot be changed, because the quote on line 2 .*env:invalid.*\nhint: .*Close the quote/s,
    );
    expect(stderr).not.toContain("s3cr3t");
    expect(read()).toBe(text);
  });

  it("preserves dollar signs of the value", () => {
    expect(replaceAssignments("URL=1", "URL", "a$&b$1")).toBe('URL="a$&b$1"');
  });
});

import { describe, expect, it } from "vitest";
import { type ScriptPart, splitScript } from "./sql-script.js";

/** Splits a script that arrives in chunks of so many bytes. */
const split = async (script: string | Buffer, size: number, isStandard = true): Promise<ScriptPart[]> => {
  const bytes = Buffer.from(script);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const parts: ScriptPart[] = [];
  for await (const part of splitScript(chunks(), () => isStandard)) parts.push(part);
  return parts;
};

/** Describes a script in a few words, which must not depend on how it is cut. */
const describeScript = async (script: string | Buffer, isStandard = true): Promise<string[]> => {
  const parts = await split(script, 1_000_000, isStandard);
  for (const size of [1, 7]) {
    const inPieces = await split(script, size, isStandard);
    expect(withoutCuts(inPieces)).toEqual(withoutCuts(parts));
  }
  return withoutCuts(parts);
};

const withoutCuts = (parts: readonly ScriptPart[]): string[] => {
  const lines: string[] = [];
  let rows = "";
  for (const part of parts) {
    if (part.kind === "rows") {
      rows += Buffer.from(part.bytes).toString();
      continue;
    }
    if (part.kind === "rows-end") lines.push(`rows ${JSON.stringify(rows)}`);
    else if (part.kind === "statement")
      lines.push(`${String(part.line)}: ${Buffer.from(part.bytes).toString()}`);
    else if (part.kind === "comment") lines.push(`-- ${part.text}`);
    else if (part.kind === "meta-command") lines.push(`${String(part.line)}: command ${part.text}`);
    else lines.push(`${String(part.line)}: unfinished ${part.construct}`);
    rows = "";
  }
  return lines;
};

describe("splitScript", () => {
  it.each<[name: string, script: string, parts: string[]]>([
    [
      "statements, and counts their lines",
      "select 1;\n\nselect\n2;select 3",
      ["1: select 1;", "3: select\n2;", "4: select 3"],
    ],
    ["nothing", " \n;;\n", []],
    [
      "a byte order mark and line breaks of Windows",
      "\ufeffselect 1;\r\nselect 2;\r\n",
      ["1: select 1;", "2: select 2;"],
    ],
    [
      "a comment that a carriage return ends, as in files of old systems",
      "-- a\rselect 1;\r--\r\rselect 2 -- b\r+ 1;",
      ["-- a", "1: select 1;", "-- ", "1: select 2 -- b\r+ 1;"],
    ],
    [
      "names in which atomic, begin and end are only a part",
      "create function atomic_f() returns int begin atomic select 1 as pending; select legend; end; create table atomic (x int); select 1;",
      [
        "1: create function atomic_f() returns int begin atomic select 1 as pending; select legend; end;",
        "1: create table atomic (x int);",
        "1: select 1;",
      ],
    ],
    [
      "semicolons in comments of a statement, and lines of a string that look like comments",
      "create table x (id int)\n-- drop; then add\n;\ninsert into x values ('a\n-- b;\n--Villa''s');select 1;",
      [
        "1: create table x (id int)\n-- drop; then add\n;",
        "4: insert into x values ('a\n-- b;\n--Villa''s');",
        "6: select 1;",
      ],
    ],
    [
      "rows of a COPY that is written from standard output",
      "copy t from stdout;\n1\n\\.\nselect 1;",
      ["1: copy t from stdout;", 'rows "1\\n"', "4: select 1;"],
    ],
    [
      "strings with a semicolon",
      "select ';', 'it''s; ';select 2;",
      ["1: select ';', 'it''s; ';", "1: select 2;"],
    ],
    ["names with a semicolon", 'select ";", "a"";" ;select 2;', ['1: select ";", "a"";" ;', "1: select 2;"]],
    [
      "a backslash in a string",
      String.raw`select '\'; select 2;`,
      [String.raw`1: select '\';`, "1: select 2;"],
    ],
    [
      "escapes in a string",
      String.raw`select E'\'; \\'; select e'\\\';';`,
      [String.raw`1: select E'\'; \\';`, String.raw`1: select e'\\\';';`],
    ],
    [
      "escapes that go on after a line break",
      "select E'a'\n '\\';'; select 2;",
      ["1: select E'a'\n '\\';';", "2: select 2;"],
    ],
    [
      "dollar quotes",
      "select $$;$$, $a$ $$;$b$; $a$;select $1;",
      ["1: select $$;$$, $a$ $$;$b$; $a$;", "1: select $1;"],
    ],
    ["a dollar in a name", "select a$b$ ; select 2 as c$b$;", ["1: select a$b$ ;", "1: select 2 as c$b$;"]],
    [
      "comments",
      "-- a; b\nselect /* ; /* ; */ ; */ 1 -- ;\n;",
      ["-- a; b", "2: select /* ; /* ; */ ; */ 1 -- ;\n;"],
    ],
    [
      "parentheses",
      "create rule r as on insert to t do (select 1; select 2); select 3;",
      ["1: create rule r as on insert to t do (select 1; select 2);", "1: select 3;"],
    ],
    [
      "the body of a function",
      "create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3;",
      [
        "1: create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end;",
        "1: select 3;",
      ],
    ],
    ["a transaction", "begin; select 1; end;", ["1: begin;", "1: select 1;", "1: end;"]],
    [
      "rows of COPY",
      "COPY t (a) FROM stdin;\n1\\t';\n\\.x\n\\.\nselect 2;",
      ["1: COPY t (a) FROM stdin;", 'rows "1\\\\t\';\\n\\\\.x\\n"', "5: select 2;"],
    ],
    ["no rows of COPY", "copy t from stdin;\n\\.\n", ["1: copy t from stdin;", 'rows ""']],
    [
      "rows with line breaks of Windows",
      "copy t from stdin;\r\n1\r\n\\.\r\nselect 2;",
      ["1: copy t from stdin;", 'rows "1\\r\\n"', "4: select 2;"],
    ],
    [
      "commands of psql",
      "\\restrict a1\nselect 1 \\g | sh\n\\! date\n",
      [
        "1: command \\restrict a1",
        "2: command \\g | sh",
        "3: command \\! date",
        "2: select 1 \\g | sh\n\\! date\n",
      ],
    ],
  ])("splits %s", async (_, script, parts) => {
    expect(await describeScript(script)).toEqual(parts);
  });

  it.each([
    ["a string", "select 1;\nselect 'a", 2],
    ["a quoted name", 'select "a', 1],
    ["a string in dollar quotes", "do $x$ begin $$; end $", 1],
    ["a comment", "\n\n/* /* */", 3],
    ["the rows of a COPY", "copy t from stdin;\n1\n2", 2],
    ["the rows of a COPY", "copy t from stdin;", 2],
  ])("says that a script ends in the middle of %s", async (what, script, line) => {
    expect((await describeScript(script)).at(-1)).toBe(`${String(line)}: unfinished ${what}`);
  });

  it("finds the command of psql in a string that ends early because backslashes escape", async () => {
    const script = String.raw`select '\'' ; \! date --'`;
    expect(await describeScript(script, true)).toEqual([`1: ${script}`]);
    expect(await describeScript(script, false)).toContainEqual(String.raw`1: command \! date --'`);
  });

  it("keeps bytes that are not UTF-8", async () => {
    const latin1 = Buffer.from("select 'é';", "latin1");
    const [statement] = await split(latin1, 3);
    expect(statement).toMatchObject({ bytes: latin1 });
  });

  it("names the first words of a statement", async () => {
    const [statement] = await split("/* a */ ROLLBACK -- b\n to x;", 5);
    expect(statement).toMatchObject({ words: ["rollback", "to", "x"], line: 1 });
  });

  it("does not read on before a statement was taken", async () => {
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from("select 1;\n".repeat(100));
    };
    let count = 0;
    for await (const part of splitScript(endless())) {
      if (part.kind !== "statement" || ++count === 1_000) break;
    }
    expect(count).toBe(1_000);
  });
});

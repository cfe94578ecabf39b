import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type DumpInput, openDump } from "./dump-input.js";
import { scanScript } from "./run-script.js";
import { CliError } from "../errors/cli-error.js";
import type { Context } from "../input/context.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
const tar = Buffer.concat([Buffer.alloc(257), Buffer.from("ustar"), Buffer.alloc(250)]);

/** Opens a file with these contents, or standard input that has them. */
const open = async (contents: string | Buffer, name = "dump.sql"): Promise<DumpInput> => {
  const cwd = mkdtempSync(join(root, "input-"));
  const stdin = new PassThrough();
  if (name === "-") stdin.end(contents);
  else writeFileSync(join(cwd, name), contents);
  // The other members are not used.
  return openDump(name, { cwd, stdin, signal: new AbortController().signal } as unknown as Context);
};
const read = async ({ readContents }: DumpInput): Promise<string> => {
  let text = "";
  for await (const chunk of readContents()) text += Buffer.from(chunk).toString();
  return text;
};
const errorOf = async (work: Promise<unknown>): Promise<Pick<CliError, "code" | "message" | "hint">> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CliError)) throw new Error("It did not fail", { cause: error });
  return error;
};

describe.each(["dump.sql", "-"])("openDump of %s", (file) => {
  it.each([
    ["SQL", "select 1;", "script", "select 1;"],
    ["SQL with gzip", gzipSync("select 1;"), "script", "select 1;"],
    ["the custom format", "PGDMP\0a", "archive", "PGDMP\0a"],
    ["the custom format with gzip", gzipSync("PGDMP\0a"), "archive", "PGDMP\0a"],
    ["tar", tar, "archive", tar.toString()],
  ])("recognizes %s", async (_, contents, format, text) => {
    const input = await open(contents, file);
    expect(input.format).toBe(format);
    expect(await read(input)).toBe(text);
    if (format === "script") expect(await read(input)).toBe(text);
    await input.close();
  });

  it.each([
    ["nothing", "", "db:empty_dump", "is empty"],
    ["nothing with gzip", gzipSync(""), "db:empty_dump", "is empty"],
    [
      "a part of a file with gzip",
      gzipSync("select 'The quick brown fox jumps';").subarray(0, 30),
      "db:incomplete_dump",
      "ends early",
    ],
    ["bzip2", "BZh91AY", "db:unsupported_dump", "bzip2"],
    ["xz", Buffer.from("fd377a585a0000", "hex"), "db:unsupported_dump", "xz"],
    ["a zip archive", "PK\u0003\u0004", "db:unsupported_dump", "zip"],
    ["UTF-16", Buffer.from("\ufeffselect 1;", "utf16le"), "db:unsupported_dump", "UTF-16"],
    ["other bytes", Buffer.from([1, 0, 2]), "db:unsupported_dump", "neither SQL nor a dump"],
    ["bzip2 in gzip", gzipSync("BZh91AY"), "db:unsupported_dump", "bzip2"],
  ])("refuses %s, and says what it is", async (_, contents, code, text) => {
    expect(await errorOf(open(contents, file))).toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
  });
});

describe("openDump", () => {
  it("leaves no file of standard input", async () => {
    const folder = mkdtempSync(join(root, "tmp-"));
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    const input = await open("select 1;", "-");
    await input.close();
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reads a folder of pg_dump, without links out of it", async () => {
    const cwd = mkdtempSync(join(root, "folder-"));
    const context = { cwd, signal: new AbortController().signal } as unknown as Context;
    mkdirSync(join(cwd, "dump"));
    expect(await errorOf(openDump("dump", context))).toMatchObject({ code: "usage:invalid" });
    writeFileSync(join(cwd, "dump/toc.dat"), "PGDMP");
    expect(await openDump("dump", context)).toMatchObject({ format: "folder", path: join(cwd, "dump") });
    symlinkSync("/etc/hostname", join(cwd, "dump/1.dat"));
    expect(await errorOf(openDump("dump", context))).toMatchObject({ code: "usage:linked_file" });
  });

  it("follows no link out of the working directory", async () => {
    const cwd = mkdtempSync(join(root, "links-"));
    symlinkSync("/etc/hostname", join(cwd, "seed.sql"));
    const context = { cwd, signal: new AbortController().signal } as unknown as Context;
    expect(await errorOf(openDump("seed.sql", context))).toMatchObject({ code: "usage:linked_file" });
  });
});

const examine = async (script: string): ReturnType<typeof scanScript> => {
  const input = await open(script);
  return scanScript(input, "Advice.", new AbortController().signal).finally(() => input.close());
};

describe("scanScript", () => {
  const dump = "--\n-- PostgreSQL database dump\n--\n\n\\restrict a1B\n\nselect 1;\n";
  const end = "--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict a1B\n\n";

  it("knows a complete dump by its last line", async () => {
    expect(await examine(dump + end)).toEqual({ isDump: true, firstTransactionLine: undefined });
    expect(await examine("select 1;")).toEqual({ isDump: false, firstTransactionLine: undefined });
    expect(await errorOf(examine(dump))).toMatchObject({
      code: "db:incomplete_dump",
      message: expect.stringContaining("its last line is missing"),
    });
    const inString = `${dump}select '\n-- PostgreSQL database dump complete\n';`;
    expect(await errorOf(examine(inString))).toMatchObject({ code: "db:incomplete_dump" });
  });

  it("takes a dump with large objects for one transaction, unless it has commands of its own", async () => {
    const objects = "BEGIN;\n\nSELECT pg_catalog.lo_open('1', 131072);\n\nCOMMIT;\n";
    expect(await examine(dump + objects + end)).toEqual({ isDump: true, firstTransactionLine: undefined });
    expect(await examine(`${dump}ROLLBACK;\n${end}`)).toEqual({ isDump: true, firstTransactionLine: 8 });
    expect(await examine(objects)).toEqual({ isDump: false, firstTransactionLine: 1 });
  });

  it.each([
    ["begin; select 1; commit;", 1],
    ["select 1;\nCOMMIT;", 2],
    ["/* a */ start transaction;", 1],
    ["end;", 1],
    ["abort;", 1],
    ["rollback;", 1],
    ["prepare transaction 'x';", 1],
    ["savepoint a; rollback to a; rollback work to savepoint a; release a;", undefined],
    ["do $$ begin commit; end $$;", undefined],
    ["prepare begin as select 1;", undefined],
  ])("finds the transactions of %s", async (script, line) => {
    expect(await examine(script)).toEqual({ isDump: false, firstTransactionLine: line });
  });

  it.each([
    "\\! date",
    "\\copy t to program 'date'",
    "select 1 \\g | sh",
    "\\set x `date`",
    "\\connect other",
    "\\unrestrict `date`",
    "select 1 \\; select 2;",
    "copy t from stdin;\n1\n\\.\n\\! date",
    "select '\\'; \\! date",
  ])("refuses a command of psql: %s", async (script) => {
    expect(await errorOf(examine(script))).toMatchObject({
      code: "db:meta_command",
      message: expect.stringMatching(/dump\.sql:\d+ has a command of psql/),
      hint: "Nothing was changed. Advice.",
    });
  });

  it("refuses a script that ends in the middle of something", async () => {
    expect(await errorOf(examine("select 1;\ncopy t from stdin;\n1\n"))).toMatchObject({
      code: "db:incomplete_dump",
      message: expect.stringContaining("the rows of a COPY, which begins on line 3"),
    });
  });
});

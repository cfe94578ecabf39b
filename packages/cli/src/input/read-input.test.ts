import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addToGitignore } from "../working-directory/ignore-in-git.js";
import { runInProcess } from "../../test/in-process.js";
import { shop, useProvisioning } from "../../test/provisioning.js";

const here = useProvisioning();
const { countRequests, mgmt, write } = here;

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const writeBytes = (bytes: Buffer, file: string): void => writeFileSync(join(here.folder, file), bytes);

describe("input that is not UTF-8", () => {
  it.each([
    [
      "plan --file bad",
      "version: 1\nprojects:\n  cafe: { name: Café }\n",
      "--file: bad is not UTF-8 (line 3)",
    ],
    ["projects create --body @bad", '{ "name": "Café" }', "--body: bad is not UTF-8 (line 1)"],
    [
      "projects create --ndjson bad",
      '{ "name": "a" }\n{ "name": "é" }\n',
      "--ndjson: bad is not UTF-8 (line 2)",
    ],
    ["api POST projects --input bad", '{\r\n\r\n"name": "é"}', "--input: bad is not UTF-8 (line 3)"],
    ["api POST projects -F name=@bad", "é", "-F name: bad is not UTF-8 (line 1)"],
    ["apply bad", '{ "version": 1,\n"é": 1 }', "<plan>: bad is not UTF-8 (line 2)"],
    ["whoami --token-file bad", "é", "--token-file: bad is not UTF-8 (line 1)"],
  ])("is refused with its line before anything is sent: mgmt %s", async (line, text, problem) => {
    writeBytes(latin1(text), "bad");
    const before = countRequests();
    const { session, folder: cwd } = here;
    const { status, stdout, stderr, errors } = await runInProcess([...line.split(" "), "-o", "json"], {
      env: session.env,
      cwd,
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(errors).toMatchObject([
      {
        error: {
          code: "usage:not_utf8",
          message: problem,
          hint: expect.stringContaining("Save it as UTF-8"),
        },
      },
    ]);
    expect(stderr).not.toMatch(/\ufffd|Caf/);
    expect(countRequests()).toBe(before);
  });

  it.each([
    ["Latin-1", latin1("\n{ é }"), "is not UTF-8 (line 2)"],
    ["UTF-16 with its mark", Buffer.from("\ufeff{}", "utf16le"), "is UTF-16, not UTF-8"],
    ["UTF-16 in the other order", Buffer.from("\ufeff{}", "utf16le").swap16(), "is UTF-16, not UTF-8"],
    ["a character that is cut off", Buffer.from("é").subarray(0, 1), "is not UTF-8 (line 1)"],
  ])("is refused on standard input: %s", async (_, stdin, problem) => {
    const { env } = here.session;
    const { status, stderr } = await runInProcess(["api", "POST", "projects", "--input", "-"], {
      env,
      stdin,
    });
    expect(status).toBe(2);
    expect(stderr).toContain(`--input: standard input ${problem}`);
  });

  it("is told from UTF-8, with a mark or without", async () => {
    for (const mark of ["", "\ufeff"]) {
      write(`${mark}${shop.replace("name: Shop", "name: Café 東京 \ufffd")}`);
      expect(await mgmt`plan -o json`).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("Café 東京"),
      });
    }
  });
});

describe("a file that is changed", () => {
  it.each([
    ["with its mark", Buffer.from("\ufeffA=1\r\n", "utf16le")],
    ["without a mark", Buffer.from("A=1\r\n", "utf16le")],
    ["with nothing but its mark", Buffer.from("\ufeff", "utf16le").swap16()],
  ])("is left as it is if it is UTF-16, %s", async (_, bytes) => {
    const { database } = await here.session.server.engine.seed.project();
    for (const file of [".env", ".gitignore"]) writeBytes(bytes, file);
    const { status, stderr } = await mgmt`env ${database?.id ?? ""}`;
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /cannot be changed, because it is UTF-16.*env:unwritable.*hint: .*Save it as UTF-8/s,
    );
    await expect(addToGitignore([".env"], here.folder)).rejects.toMatchObject({
      code: "gitignore:unwritable",
      message: expect.stringContaining("it is UTF-16, or not text"),
    });
    for (const file of [".env", ".gitignore"]) expect(readFileSync(join(here.folder, file))).toEqual(bytes);
  });

  it("keeps every byte of another encoding", async () => {
    const { database } = await here.session.server.engine.seed.project();
    writeBytes(latin1("A=é\n"), ".env");
    expect((await mgmt`env ${database?.id ?? ""}`).status).toBe(0);
    const text = readFileSync(join(here.folder, ".env"), "latin1");
    expect(text).toMatch(/^A=é\nDATABASE_URL="postgresql:/);
  });
});

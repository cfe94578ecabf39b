import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Canaries } from "./canaries.js";
import { harvest } from "./harvest.js";
import { processList } from "./process-list.js";
import { scan } from "./scan.js";

/** Contains characters that each encoding changes. */
const planted = `p+/"ä?${randomBytes(16).toString("base64url")}`;
const canariesWith = (value: string): Canaries => {
  const canaries = new Canaries();
  canaries.add("password", value);
  return canaries;
};

describe("the scan for leaks", () => {
  it("fails on an empty canary list", () => {
    expect(() => scan([{ where: "log", text: "anything" }], new Canaries())).toThrow("empty");
  });

  it("fails without evidence", () => {
    expect(() => scan([], canariesWith(planted))).toThrow("nothing to scan");
  });

  it("refuses a canary so short that it could match by chance", () => {
    expect(() => canariesWith("short")).toThrow("too short");
  });

  it.each([
    ["plain", planted],
    ["in JSON", JSON.stringify({ password: planted })],
    ["percent-encoded", `postgres://role:${encodeURIComponent(planted)}@host`],
    ["in hexadecimal", Buffer.from(planted).toString("hex").toUpperCase()],
    ...["", "a", "ab", "abc:"].flatMap((before): [string, string][] => [
      [`in base64 after ${JSON.stringify(before)}`, Buffer.from(`${before}${planted}:`).toString("base64")],
      [
        `in base64url after ${JSON.stringify(before)}`,
        Buffer.from(`${before}${planted}`).toString("base64url"),
      ],
    ]),
  ])("finds a planted leak: %s", (_, text) => {
    const leaks = scan(
      [
        { where: "clean", text: "nothing" },
        { where: "log", text: `before ${text} after` },
      ],
      canariesWith(planted),
    );
    expect(leaks.map(({ where, kind }) => ({ where, kind }))).toContainEqual({
      where: "log",
      kind: "password",
    });
    expect(leaks.filter(({ where }) => where === "clean")).toEqual([]);
    expect(JSON.stringify(leaks)).not.toContain(planted);
  });

  it("finds the signature of a token alone", () => {
    const leaks = scan(
      [{ where: "log", text: "sig=c2lnbmF0dXJlLXNpZ25hdHVyZQ" }],
      canariesWith("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ"),
    );
    expect(leaks).toEqual([{ where: "log", kind: "password's signature", form: "plain" }]);
  });

  it("finds a planted leak in the process list", async () => {
    const secret = randomBytes(16).toString("hex");
    const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('up')", secret]);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const text = processList().join("\n");
    child.kill();
    expect(scan([{ where: "process list", text }], canariesWith(secret))).toEqual([
      { where: "process list", kind: "password", form: "plain" },
    ]);
  });
});

describe("a response that delivers a secret", () => {
  it("may contain it in its own field and nowhere else", () => {
    const canaries = new Canaries();
    const connectionString = `postgres://role:${encodeURIComponent(planted)}@host/db`;
    const rest = JSON.stringify(harvest({ data: [{ connectionString, name: "web" }] }, canaries));
    expect(canaries.kinds).toEqual(new Set(["connection string", "password"]));
    expect(scan([{ where: "response", text: rest }], canaries)).toEqual([]);
    const leaking = JSON.stringify(harvest({ connectionString, name: planted }, canaries));
    expect(scan([{ where: "response", text: leaking }], canaries)).not.toEqual([]);
  });
});

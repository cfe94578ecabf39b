import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { inProcess } from "./in-process.js";
import { type Session, startSession } from "./terminal.js";

let session: Session;
let recipient: string;
let file: string;
beforeAll(async () => {
  session = await startSession();
  recipient = await session.server.engine.tokens.otherUser();
  file = join(temporaryFolder(), "body.json");
  writeFileSync(file, JSON.stringify({ recipientAccessToken: recipient }));
});
afterAll(() => session.close());

const newProject = async (): Promise<string> => (await session.server.engine.seed.project()).id;

describe("secrets never stand in the process list (§ Authentication)", () => {
  const canary = "CANARY-SECRET";

  it.each([
    ["a flag of its own name", ["--recipient-access-token", canary]],
    ["the same with =", [`--recipient-access-token=${canary}`]],
    ["--body in the command line", ["--body", JSON.stringify({ recipientAccessToken: canary })]],
  ])("refuses %s, and does not repeat it", async (_, flags) => {
    const { status, stderr, stdout } = await inProcess({
      env: session.env,
    })`projects transfer proj_1 --yes ${flags[0] ?? ""} ${flags[1] ?? ""}`;
    expect(status).toBe(2);
    expect(stderr).toContain("--recipient-access-token-file");
    expect(stderr + stdout).not.toContain(canary);
  });

  it("refuses a token as a flag, on every level, and does not repeat it", async () => {
    for (const line of [`--token ${canary} me`, `me --token ${canary}`, `me get --token=${canary}`]) {
      const { status, stderr } = await inProcess({
        env: session.env,
      })`${""} ${line.split(" ")[0] ?? ""} ${line.split(" ")[1] ?? ""} ${line.split(" ")[2] ?? ""}`;
      expect({ line, status }).toEqual({ line, status: 2 });
      expect(stderr).toContain("MGMT_TOKEN");
      expect(stderr).not.toContain(canary);
    }
  });

  it("does not repeat the value of an unknown flag, or of JSON that cannot be read", async () => {
    const mgmt = inProcess({ env: session.env, stdin: `{"recipientAccessToken": "${canary}"` });
    expect((await mgmt`projects get p --secret=${canary}`).stderr).not.toContain(canary);
    expect((await mgmt`projects transfer p --yes --body -`).stderr).not.toContain(canary);
    expect((await mgmt`projects transfer p --yes --body ${`{"a": "${canary}`}`).stderr).not.toContain(canary);
  });

  it("takes them from a file, from standard input, and from --body @file and -", async () => {
    const { env, as } = session;
    const token = env["MGMT_TOKEN"] ?? "";
    const secretFile = `${file}.token`;
    writeFileSync(secretFile, `\uFEFF${recipient}\r\n`);
    const lines = [
      as(token)`projects transfer ${await newProject()} --yes --recipient-access-token-file ${secretFile}`,
      as(token, {
        stdin: recipient,
      })`projects transfer ${await newProject()} --yes --recipient-access-token-file -`,
      as(token)`projects transfer ${await newProject()} --yes --body ${`@${file}`}`,
      as(token, {
        stdin: JSON.stringify({ recipientAccessToken: recipient }),
      })`projects transfer ${await newProject()} --yes --body -`,
    ];
    for (const { status, stderr } of await Promise.all(lines)) {
      expect(stderr).toMatch(/^Done: /);
      expect(status).toBe(0);
    }
  });

  it("a refused secret is not repeated, in neither format", async () => {
    const id = await newProject();
    const mgmt = session.as(session.env["MGMT_TOKEN"] ?? "", { stdin: canary });
    for (const format of ["table", "json"]) {
      const { status, stderr } =
        await mgmt`projects transfer ${id} --yes --recipient-access-token-file - -o ${format}`;
      expect(status).toBe(7);
      expect(stderr).toContain("transfer:invalid_recipient_token");
      expect(stderr).not.toContain(canary);
    }
  });

  it("a failed call repeats neither the token nor the body", async () => {
    const { status, stderr } = await inProcess({
      env: { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: canary },
    })`projects create shop`;
    expect(status).toBe(9);
    expect(stderr).not.toContain(canary);
  });
});

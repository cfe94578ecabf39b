import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../folders.js";
import { inProcess } from "../in-process.js";
import { useSession } from "../terminal.js";

const session = useSession();
let recipient: string;
const file = join(temporaryFolder(), "body.json");
beforeAll(async () => {
  recipient = await session.server.engine.tokens.otherUser();
  writeFileSync(file, JSON.stringify({ recipientAccessToken: recipient }));
});

const newProject = async (): Promise<string> => (await session.server.engine.seed.project()).id;

describe("a secret", () => {
  const canary = "CANARY-SECRET";

  it.each([
    ["a flag with its name", ["--recipient-access-token", canary]],
    ["a flag with its name and =", [`--recipient-access-token=${canary}`]],
    ["--body on the command line", ["--body", JSON.stringify({ recipientAccessToken: canary })]],
  ])("is refused in %s, and not repeated", async (_, flags) => {
    const { status, stderr, stdout } = await inProcess({
      env: session.env,
    })`projects transfer proj_1 --yes ${flags[0] ?? ""} ${flags[1] ?? ""}`;
    expect(status).toBe(2);
    expect(stderr).toContain("--recipient-access-token-file");
    expect(stderr + stdout).not.toContain(canary);
  });

  it("is refused as the flag --token at every level, and not repeated", async () => {
    for (const line of [`--token ${canary} me`, `me --token ${canary}`, `me get --token=${canary}`]) {
      const { status, stderr } = await inProcess({
        env: session.env,
      })`${""} ${line.split(" ")[0] ?? ""} ${line.split(" ")[1] ?? ""} ${line.split(" ")[2] ?? ""}`;
      expect({ line, status }).toEqual({ line, status: 2 });
      expect(stderr).toContain("MGMT_TOKEN");
      expect(stderr).not.toContain(canary);
    }
  });

  it("is not repeated from an unknown flag or from invalid JSON", async () => {
    const mgmt = inProcess({ env: session.env, stdin: `{"recipientAccessToken": "${canary}"` });
    expect((await mgmt`projects get p --secret=${canary}`).stderr).not.toContain(canary);
    expect((await mgmt`projects transfer p --yes --body -`).stderr).not.toContain(canary);
    expect((await mgmt`projects transfer p --yes --body ${`{"a": "${canary}`}`).stderr).not.toContain(canary);
  });

  it("is accepted from a file, from standard input, and from --body @file and -", async () => {
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

  it("is not repeated in either format if the service refuses it", async () => {
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

  it("is not repeated by a failed call", async () => {
    const { status, stderr } = await inProcess({
      env: { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: canary },
    })`projects create shop`;
    expect(status).toBe(9);
    expect(stderr).not.toContain(canary);
  });
});

import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { useSession } from "../terminal.js";

const session = useSession();
let quoted: string;
const oddName = `it's "a", $(b)\nc`;
beforeAll(async () => {
  quoted = (await session.server.engine.seed.project({ name: oddName })).id;
});

describe("--output env", () => {
  it("prints variables that a shell reads back unchanged", async () => {
    const { stdout } = await session.mgmt`projects get ${quoted} -o env`;
    const script = `${stdout}printf '%s|%s' "$PROJECT_ID" "$PROJECT_NAME"`;
    expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(`${quoted}|${oddName}`);
  });
});

describe("a name with quotes, line breaks, emoji, right-to-left text and an escape sequence", () => {
  const name = 'it\'s "a", \\ $(b) `c`\nd\t👩‍👩‍👧 שלום \u001b[2J';
  let id: string;
  beforeAll(async () => {
    id = (await session.server.engine.seed.project({ name })).id;
  });
  const printed = async (format: string): Promise<string> =>
    (await session.mgmt`projects get ${id} --fields name -o ${format}`).stdout;

  it("is read back unchanged from each format for programs", async () => {
    expect(JSON.parse(await printed("json"))).toEqual({ name });
    expect(JSON.parse(await printed("ndjson"))).toEqual({ name });
    expect(parseYaml(await printed("yaml"))).toEqual({ name });
    expect(await printed("csv")).toBe(`name\n"${name.replaceAll('"', '""')}"\n`);
    const script = `${await printed("env")}printf '%s' "$MGMT_NAME"`;
    expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(name);
  });
});

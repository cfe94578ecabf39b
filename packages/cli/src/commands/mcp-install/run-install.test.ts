import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess, type Setup } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const root = temporaryFolder();
let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "shop-"));
  home = mkdtempSync(join(root, "home-"));
});

const install = (line: string, setup: Setup = {}): Promise<Result> =>
  runInProcess(["mcp", "install", ...line.split(" ").filter(Boolean)], {
    cwd: folder,
    ...setup,
    env: {
      CLAUDE_CONFIG_DIR: join(home, "claude"),
      CODEX_HOME: join(home, "codex"),
      XDG_CONFIG_HOME: join(home, "config"),
      ...setup.env,
    },
  });
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};

const stdio = { type: "stdio", command: "mgmt", args: ["mcp"] };
/** Of an editor, which may start it in another folder. */
const inEditor = { ...stdio, args: ["mcp", "--folder", "${workspaceFolder}"] };

describe("mgmt mcp install", () => {
  it.each([
    ["claude-code", ".mcp.json", { mcpServers: { mgmt: stdio } }],
    ["cursor", ".cursor/mcp.json", { mcpServers: { mgmt: inEditor } }],
    ["vscode", ".vscode/mcp.json", { servers: { mgmt: inEditor } }],
    [
      "zed --scope project",
      ".zed/settings.json",
      { context_servers: { mgmt: { source: "custom", command: "mgmt", args: ["mcp"] } } },
    ],
  ])("writes the configuration of a folder: %s", async (line, file, expected) => {
    const { status, stderr } = await install(`${line} --yes`);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain('+ command: "mgmt"');
    expect(JSON.parse(read(file))).toEqual(expected);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o644);
  });

  it.runIf(process.platform === "linux").each([
    ["claude-code --scope user", "claude/.claude.json"],
    ["vscode --scope user", "config/Code/User/mcp.json"],
    ["zed", "config/zed/settings.json"],
    ["codex", "codex/config.toml"],
  ])("writes the configuration of the user, with its folders: %s", async (line, file) => {
    const { status, json } = await install(`${line} --yes -o json`);
    const path = join(home, file);
    expect({ status, json }).toMatchObject({
      status: 0,
      json: { scope: "user", file: path, change: "added", written: true },
    });
    expect(readFileSync(path, "utf8")).toContain("mgmt");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes tables of TOML for Codex, which passes on variables that are named", async () => {
    await install("codex --scope project --project --read-only --yes");
    expect(read(".codex/config.toml")).toBe(
      '[mcp_servers.mgmt]\ncommand = "mgmt"\nargs = ["mcp", "--project", "--read-only"]\n' +
        'env_vars = ["MGMT_TOKEN", "MGMT_PROFILE", "MGMT_BASE_URL", "MGMT_CONFIG_DIR"]\n',
    );
  });

  it("passes flags on to the server, but no token", async () => {
    const flags =
      "--profile staging --base-url https://api.example.com --token-file token --project shop --read-only";
    const { status, json } = await install(`cursor --yes -o json ${flags}`, {
      env: { MGMT_TOKEN: "secret-token" },
    });
    const words = ["--profile", "staging", "--base-url", "https://api.example.com", "--token-file"];
    const limits = ["--folder", "${workspaceFolder}", "--project", "shop", "--read-only"];
    expect({ status, json }).toMatchObject({
      status: 0,
      json: { command: ["mgmt", "mcp", ...words, join(folder, "token"), ...limits] },
    });
    expect(read(".cursor/mcp.json")).not.toContain("secret-token");
  });

  it.each([
    ["claude-code", "apps/web", "./apps/web"],
    ["claude-code", ".", "."],
    ["claude-code", "${CLAUDE_PROJECT_DIR:-.}", "${CLAUDE_PROJECT_DIR:-.}"],
    ["claude-code --scope user", "apps/web", "FOLDER/apps/web"],
    ["claude-code", "HOME", "HOME"],
    ["cursor", "apps/web", "${workspaceFolder}/apps/web"],
    ["vscode", ".", "${workspaceFolder}"],
    ["codex", "apps/web", "FOLDER/apps/web"],
    ["zed --scope project", "apps/web", "./apps/web"],
  ])("passes the workspace folder on to the server: %s --folder %s", async (line, path, expected) => {
    mkdirSync(join(folder, "apps/web"), { recursive: true });
    const fill = (text: string): string => text.replace("FOLDER", folder).replace("HOME", home);
    const { status, stderr, json } = await install(`${line} --folder ${fill(path)} --yes -o json`);
    expect(status, stderr).toBe(0);
    expect((json as { command: string[] }).command).toEqual(["mgmt", "mcp", "--folder", fill(expected)]);
  });

  it("changes nothing the second time", async () => {
    await install("vscode --yes");
    const before = statSync(join(folder, ".vscode/mcp.json"));
    const { status, stderr } = await install("vscode");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("has this server already"),
    });
    expect(statSync(join(folder, ".vscode/mcp.json"))).toMatchObject({
      ino: before.ino,
      mtimeMs: before.mtimeMs,
    });
  });

  it.each([
    ["cursor", ".cursor/mcp.json", '{"mcpServers": {"mgmt": {"command": "x", "disabled": true}}}'],
    [
      "zed --scope project",
      ".zed/settings.json",
      '{"context_servers": {"mgmt": {"command": "x", "enabled": false}}}',
    ],
    ["codex --scope project", ".codex/config.toml", '[mcp_servers.mgmt]\ncommand = "x"\nenabled = false\n'],
  ])("leaves a server turned off, and says so: %s", async (line, file, text) => {
    write(file, text);
    const isOff = expect.stringContaining("turns it off");
    expect(await install(`${line} --yes`)).toMatchObject({ status: 0, stderr: isOff });
    expect(read(file)).toMatch(/"disabled": true|"?enabled"?(?::| =) false/);
    expect(await install(line)).toMatchObject({ status: 0, stderr: isOff });
  });

  it("asks before it writes, and again before it replaces another command", async () => {
    const answer = (key: string): Setup => ({
      terminal: true,
      reply: (stderr) => (stderr.includes("Continue?") ? `${key}\n` : undefined),
    });
    expect(await install("cursor", answer("n"))).toMatchObject({ status: 3 });
    expect(existsSync(join(folder, ".cursor"))).toBe(false);
    write(
      ".cursor/mcp.json",
      '{"mcpServers": {"mgmt": {"command": "other", "args": ["x", "--api-key", "s3cr3t", "--token=s3cr3t"]}}}',
    );
    const { status, stderr } = await install("cursor", answer("y"));
    expect(status, stderr).toBe(0);
    expect(stderr).toContain('- command: "other"');
    expect(stderr).toContain('- args: ["x","--api-key","[redacted]","--token=[redacted]"]');
    expect(stderr).toContain("replace the server in the configuration of Cursor");
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ mcpServers: { mgmt: inEditor } });
  });

  it("asks for the client on a terminal", async () => {
    const setup: Setup = {
      terminal: true,
      reply: (stderr) => (stderr.includes("Client:") ? "vscode\n" : undefined),
    };
    const { status, stderr } = await install("--yes", setup);
    expect(status, stderr).toBe(0);
    expect(existsSync(join(folder, ".vscode/mcp.json"))).toBe(true);
  });

  it("says what it would do where nobody can be asked, and with --dry-run", async () => {
    const needed = await install("claude-code");
    expect(needed).toMatchObject({ status: 3, stdout: "" });
    expect(needed.stderr).toContain('+ args: ["mcp"]');
    expect(needed.stderr).toContain("Pass --yes to confirm.");
    expect(await install("claude-code --dry-run -o json")).toMatchObject({
      status: 0,
      json: { change: "added", written: false },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("removes the server, and nothing else", async () => {
    const text = '{\n  "servers": {\n    // mine\n    "x": { "command": "y" }\n  }\n}\n';
    write(".vscode/mcp.json", text);
    await install("vscode --yes");
    expect(await install("vscode --remove --yes -o json")).toMatchObject({
      status: 0,
      json: { change: "removed", command: null },
    });
    expect(read(".vscode/mcp.json")).toBe(text);
    expect((await install("vscode --remove")).stderr).toContain("does not have the server");
  });

  it("shows nothing of other servers, and no secret of its own entry", async () => {
    const secrets = {
      env: { KEY: "s3cr3t-1" },
      headers: { Authorization: "Bearer s3cr3t-2", "X-Team": "s3cr3t-4" },
    };
    const mcpServers = {
      other: { command: "x", env: { KEY: "s3cr3t-3" } },
      mgmt: { url: "https://x", ...secrets },
    };
    write(".cursor/mcp.json", JSON.stringify({ mcpServers }));
    const { status, stdout, stderr } = await install("cursor --yes");
    expect(status, stderr).toBe(0);
    expect(stdout + stderr).not.toContain("s3cr3t");
    expect(stderr).toContain('- env: "[redacted]"');
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ mcpServers: { ...mcpServers, mgmt: inEditor } });
  });
});

describe("mgmt mcp install does not write", () => {
  it.each([
    ["cursor", ".cursor/mcp.json", '{\n  "mcpServers": {\n', "line 3, column 1: a closing } is missing"],
    ["claude-code", ".mcp.json", "{} // mine\n", "line 1, column 4: it has a comment"],
    ["codex --scope project", ".codex/config.toml", "a = 1\na = 2\n", "line 2, column 1"],
    ["vscode", ".vscode/mcp.json", '{"servers": 1}', "servers is not an object"],
  ])("a file that is broken: %s", async (line, file, text, problem) => {
    write(file, text);
    const { status, stdout, stderr } = await install(`${line} --yes`);
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(problem),
    });
    expect(stderr).toContain("client_file:invalid");
    expect(read(file)).toBe(text);
  });

  it.each([
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "client_file:undecodable"],
    ["UTF-16", Buffer.from("\uFEFF{}", "utf16le"), "client_file:undecodable"],
  ])("a file that is %s", async (_, bytes, code) => {
    writeFileSync(join(folder, ".mcp.json"), bytes);
    expect(await install("claude-code --yes")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(code),
    });
    expect(readFileSync(join(folder, ".mcp.json"))).toEqual(bytes);
  });

  it.each([
    ["", 3, "Missing <client>"],
    ["emacs", 2, "Allowed: claude-code, cursor, vscode, codex, zed."],
    ["cursor --scope local", 2, "Allowed choices are project, user"],
    ["cursor --readonly", 2, "--read-only"],
    ["cursor --project .. --yes", 2, "--project"],
    ["cursor --folder none --yes", 2, "none is not a folder"],
    ["claude-code --folder - --yes", 2, "--folder must be a folder, not -"],
    ["cursor --token abc --yes", 2, "--token-file"],
    ["cursor --token-file - --yes", 2, "--token-file cannot be -"],
    ["cursor --base-url https://u:p4ss@x.example.com --yes", 2, "--base-url"],
  ])("for a wrong command line: %s", async (line, status, text) => {
    const result = await install(line);
    expect([result.status, result.stdout, result.stderr]).toEqual([
      status,
      "",
      expect.stringContaining(text),
    ]);
    expect(result.stderr).not.toMatch(/abc|p4ss/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("the configuration of a client", () => {
  it("keeps its permissions, and is written through a link of the user", async () => {
    const target = join(home, "dotfiles.toml");
    writeFileSync(target, "# mine\n", { mode: 0o640 });
    chmodSync(target, 0o640);
    mkdirSync(join(home, "codex"));
    symlinkSync(target, join(home, "codex/config.toml"));
    expect((await install("codex --yes")).status).toBe(0);
    expect(lstatSync(join(home, "codex/config.toml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toMatch(/^# mine\n\n\[mcp_servers\.mgmt\]/);
    expect(statSync(target).mode & 0o777).toBe(0o640);
  });

  it("is written through a link inside of the folder of a project", async () => {
    write("config/mcp.json", "{}\n");
    symlinkSync("config/mcp.json", join(folder, ".mcp.json"));
    expect((await install("claude-code --yes")).status).toBe(0);
    expect(lstatSync(join(folder, ".mcp.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read("config/mcp.json"))).toEqual({ mcpServers: { mgmt: stdio } });
  });

  it.each([
    ["a file", ".mcp.json", "claude-code"],
    ["a folder", ".cursor", "cursor"],
    ["a folder with the file", ".vscode", "vscode"],
  ])("is not written where a repository links %s out of the project", async (_, link, client) => {
    const outside = mkdtempSync(join(root, "outside-"));
    writeFileSync(join(outside, client === "vscode" ? "mcp.json" : "precious.json"), "{}");
    symlinkSync(client === "claude-code" ? join(outside, "precious.json") : outside, join(folder, link));
    const { status, stderr } = await install(`${client} --yes`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("client_file:linked"),
    });
    for (const name of readdirSync(outside)) expect(readFileSync(join(outside, name), "utf8")).toBe("{}");
    expect(readdirSync(outside)).toHaveLength(1);
  });

  it("is not written if the client has changed the server after the question", async () => {
    write(".cursor/mcp.json", '{"mcpServers": {"a": 1}}');
    const answerAfter = (text: string): Setup => ({
      terminal: true,
      reply: (stderr) => {
        if (!stderr.includes("Continue?")) return undefined;
        write(".cursor/mcp.json", text);
        return "y\n";
      },
    });
    const other = '{"mcpServers": {"a": 1, "mgmt": {"command": "other"}}}';
    expect(await install("cursor", answerAfter(other))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("client_file:changed"),
    });
    expect(read(".cursor/mcp.json")).toBe(other);
    write(".cursor/mcp.json", "{}");
    expect((await install("cursor", answerAfter('{"theme": "dark"}'))).status).toBe(0);
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({ theme: "dark", mcpServers: { mgmt: inEditor } });
  });

  it.runIf(process.getuid?.() !== 0)("is not written into a folder that is read-only", async () => {
    write(".cursor/mcp.json", "{}");
    chmodSync(join(folder, ".cursor"), 0o500);
    expect(await install("cursor --yes")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("client_file:unwritable"),
    });
    chmodSync(join(folder, ".cursor"), 0o700);
    expect(read(".cursor/mcp.json")).toBe("{}");
  });

  it("is not written where the file is a folder", async () => {
    mkdirSync(join(folder, ".mcp.json"));
    expect(await install("claude-code --yes")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("client_file:unreadable"),
    });
  });
});

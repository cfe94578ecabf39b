import { describe, expect, it } from "vitest";
import { detectCodingAgent } from "./coding-agent.js";

describe("a coding agent", () => {
  it.each([
    [{ CLAUDECODE: "1" }, "Claude Code", "CLAUDECODE"],
    [{ CURSOR_AGENT: "1" }, "Cursor", "CURSOR_AGENT"],
    [{ GEMINI_CLI: "1" }, "Gemini CLI", "GEMINI_CLI"],
    [{ CODEX_SANDBOX: "seatbelt" }, "Codex", "CODEX_SANDBOX"],
    [{ REPL_ID: "f3c1" }, "Replit", "REPL_ID"],
    [{ AI_AGENT: "devin@1", CLAUDECODE: "1" }, "devin@1", "AI_AGENT"],
    [{ AI_AGENT: "1" }, "a coding agent", "AI_AGENT"],
    [{ AI_AGENT: ` ${"x".repeat(41)}` }, "x".repeat(40), "AI_AGENT"],
    [{ AI_AGENT: "", OPENCODE: "true" }, "OpenCode", "OPENCODE"],
  ])("is known by its variable: %j", (env, name, variable) => {
    expect(detectCodingAgent(env)).toEqual({ name, variable });
  });

  it.each([
    [{}],
    [{ CLAUDECODE: "" }],
    [{ CLAUDECODE: "0", CURSOR_AGENT: "false", AI_AGENT: " " }],
    [{ CLAUDECODE: "OFF", AI_AGENT: "no" }],
    [{ AI_AGENT: "0" }],
    [{ CURSOR_TRACE_ID: "x", ANTHROPIC_API_KEY: "x", CODEX_HOME: "/x", CI: "1" }],
  ])("is none: %j", (env) => {
    expect(detectCodingAgent(env)).toBeUndefined();
  });
});

import { isVariableOn } from "./ci-system.js";

/** A coding agent that has started this command. */
export interface CodingAgent {
  /** The name that the agent reports, or else its product name. */
  readonly name: string;
  /** The variable that identifies the agent. */
  readonly variable: string;
}

/**
 * Variables that agents set for the programs that they start. Variables that an editor also sets in the terminals of its users, such as
 * CURSOR_TRACE_ID, are not included. Source: https://github.com/vercel/vercel/tree/main/packages/detect-agent
 */
const nameByVariable: Readonly<Record<string, string>> = {
  CLAUDECODE: "Claude Code",
  CLAUDE_CODE: "Claude Code",
  CURSOR_AGENT: "Cursor",
  GEMINI_CLI: "Gemini CLI",
  CODEX_SANDBOX: "Codex",
  CODEX_THREAD_ID: "Codex",
  OPENCODE: "OpenCode",
  CLINE_ACTIVE: "Cline",
  COPILOT_CLI: "Copilot CLI",
  REPL_ID: "Replit",
};

/** The variable for all agents, whose value is a name. */
const commonVariable = "AI_AGENT";

/** Returns the agent that has started this command, or undefined for a person or a script. */
export const detectCodingAgent = (env: NodeJS.ProcessEnv): CodingAgent | undefined => {
  const commonName = env[commonVariable];
  if (isVariableOn(commonName))
    return {
      name: commonName?.trim() === "1" ? "a coding agent" : (commonName?.trim().slice(0, 40) ?? ""),
      variable: commonVariable,
    };
  const entry = Object.entries(nameByVariable).find(([variable]) => isVariableOn(env[variable]));
  return entry && { name: entry[1], variable: entry[0] };
};

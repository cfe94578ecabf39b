import { detectCiSystem, isCi } from "./ci-system.js";
import { detectCodingAgent } from "./coding-agent.js";

/** Whether no user reads the terminal: in CI, and where a coding agent runs this command. */
export const isUnattended = (env: NodeJS.ProcessEnv): boolean =>
  isCi(env) || detectCodingAgent(env) !== undefined;

/** Returns the reason why a secret must not be printed, as a clause, or undefined if a user or a program reads the output. */
export const findUnsafeReader = (env: NodeJS.ProcessEnv): string | undefined => {
  if (detectCiSystem(env)) return "CI keeps what is printed in its log";
  const agent = detectCodingAgent(env);
  return agent && `a coding agent reads what is printed (${agent.variable} is set)`;
};

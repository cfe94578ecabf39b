import { detectCiSystem, isCi } from "./ci-system.js";
import { detectCodingAgent } from "./coding-agent.js";

/** Whether nobody reads the terminal: in CI, and where a coding agent runs this command. */
export const isUnattended = (env: NodeJS.ProcessEnv): boolean =>
  isCi(env) || detectCodingAgent(env) !== undefined;

/** Returns why what is printed is no place for a secret, as a clause; undefined if a person or a program reads it. */
export const findUnsafeReader = (env: NodeJS.ProcessEnv): string | undefined => {
  if (detectCiSystem(env)) return "CI keeps what is printed in its log";
  const agent = detectCodingAgent(env);
  return agent && `a coding agent reads what is printed (${agent.variable} is set)`;
};

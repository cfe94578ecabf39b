/** Returns the environment that a program of the user inherits: without the variables of this command, one of which is a token. */
export const inheritedEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^MGMT_/i.test(name)));

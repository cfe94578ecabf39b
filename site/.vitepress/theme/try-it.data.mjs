import { read } from "../sources.mjs";

/** Returns the program of the README. */
export const readmeProgram = () => {
  const [, program] = /^```ts run\n([\s\S]*?)^```$/m.exec(read("README.md")) ?? [];
  if (program === undefined) throw new Error("README.md has no program");
  return program;
};

/** VitePress loads it when it builds the page. */
export default { load: () => ({ program: readmeProgram() }) };

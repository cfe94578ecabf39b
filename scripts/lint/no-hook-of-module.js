/** Reports a hook of tests outside functions: files share a process, in which a module is evaluated once. */
export const noHookOfModule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      hook: "The hook runs only for the first test file that imports this module. Export a function that adds it.",
    },
  },
  create: (context) => ({
    Program() {
      // Code outside functions is what is not indented.
      for (const { index } of context.sourceCode.text.matchAll(/^(before|after)(Each|All)\(/gm))
        context.report({ loc: context.sourceCode.getLocFromIndex(index), messageId: "hook" });
    },
  }),
};

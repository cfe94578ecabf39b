/** Reports an `import()` of an own file whose failure is not handled: a deployment may have replaced the file while the program runs. */
export const noUnhandledImport = {
  meta: {
    type: "problem",
    schema: [],
    messages: { failure: "This import may fail. Handle it, as in import(…).catch(throwNotLoaded)." },
  },
  create: (context) => ({
    Program() {
      for (const { index } of context.sourceCode.text.matchAll(/\bimport\("[.#][^"]*"\)(?!\s*\.catch\()/g))
        context.report({ loc: context.sourceCode.getLocFromIndex(index), messageId: "failure" });
    },
  }),
};

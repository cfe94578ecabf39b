/** `const { data } = await client.projects.list(…)`, or `(await client.projects.list(…)).data`. Backups have no pages. */
const firstPage =
  /\{ data(?:: \w+)? \} = await [\w.]+(?<!\bbackups)\.list\(|\(await [\w.]+\.list\([^;]*\)\)\.data\b/g;

/** Reports a list of which only the first page is used: it may have more. */
export const noFirstPage = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      page: "These are only the items of the first page. Use toArray(), or for await.",
    },
  },
  create: (context) => ({
    Program() {
      for (const { index } of context.sourceCode.text.matchAll(firstPage))
        context.report({ loc: context.sourceCode.getLocFromIndex(index), messageId: "page" });
    },
  }),
};

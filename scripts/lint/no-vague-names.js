import ts from "typescript";

/** Words that tell what happened to a value. */
const vague = new Set(["asked", "each", "found", "given", "kept", "printed", "shown", "taken"]);

/** Whether an identifier is the name that a declaration gives to a value. */
const isDeclared = (identifier) => {
  const { parent } = identifier;
  if (parent.name !== identifier) return false;
  return !ts.isPropertyAccessExpression(parent) && !ts.isMetaProperty(parent);
};

/** Reports variables, parameters, functions, and properties that are named for what happened to a value. */
export const noVagueNames = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      name: "“{{name}}” tells what happened to the value. Name what it is, such as project, match, or response, so that a reader need not look for where it comes from.",
    },
  },
  create: (context) => ({
    Program() {
      const { text } = context.sourceCode;
      const visit = (node) => {
        if (ts.isIdentifier(node) && vague.has(node.text) && isDeclared(node)) {
          const loc = context.sourceCode.getLocFromIndex(node.getStart());
          context.report({ loc, messageId: "name", data: { name: node.text } });
        }
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(context.filename, text, ts.ScriptTarget.Latest, true));
    },
  }),
};

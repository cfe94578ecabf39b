/**
 * The wording of messages and hints is not tested, because no code depends on it. They are sentences, which begin with a capital
 * letter and contain a space, the predicates of sentences, values of these properties, or messages of JavaScript's own errors.
 * Codes, names, and SQL, which code depends on, remain mutated, and so does code within a template.
 */
const sentence = /^([A-Z][^ ]*|must|cannot|has|is) /;
const proseProperties = new Set(["message", "hint"]);

const builtInErrors = new Set(["Error", "RangeError", "TypeError"]);

const isSentence = ({ node, parent }) =>
  sentence.test(node.type === "StringLiteral" ? node.value : node.quasis[0].value.raw) ||
  (parent.type === "ObjectProperty" && proseProperties.has(parent.key.name)) ||
  (parent.type === "NewExpression" && builtInErrors.has(parent.callee.name) && parent.arguments[0] === node);

const isPlainText = ({ type, expressions }) =>
  type === "StringLiteral" ||
  (type === "TemplateLiteral" &&
    expressions.every((each) => each.type === "Identifier" || each.type === "MemberExpression"));

/** A plugin of Stryker: https://stryker-mutator.io/docs/stryker-js/disable-mutants/#using-an-ignore-plugin */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "prose",
    value: {
      shouldIgnore: (path) =>
        isPlainText(path.node) && isSentence(path)
          ? "The wording of messages and hints is not tested."
          : undefined,
    },
  },
];

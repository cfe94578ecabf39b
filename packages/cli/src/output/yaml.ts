// A separate module, so that `yaml` is loaded only for `--output yaml`. A static import is needed, because the build
// gives a dynamic import of this CommonJS package no named exports.
import { Document, Scalar, visit } from "yaml";
import { escapeYaml, isUnsafeText } from "./printable.js";

/**
 * Returns whether readers of YAML 1.1 take a string for something that the package does not know: a number with commas, the value type, a symbol of
 * Ruby. Some reject a tab.
 */
const isAmbiguous = (text: string): boolean => /^[-+.]*\d|^=$|^:|\t/.test(text);

/**
 * Renders a value as YAML from which readers of YAML 1.1 and 1.2 get the same strings. Long lines are not folded, and repeated objects are
 * written out rather than referenced.
 */
export const renderYaml = (value: unknown): string => {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  visit(document, {
    Scalar: (key, node) => {
      const { value: text } = node;
      if (typeof text !== "string") return;
      // A string that is the whole document would have lines without indentation, which some readers reject.
      const isUnindented = key === null && text.includes("\n");
      // Only double-quoted strings can have escapes.
      if (isUnsafeText(text) || isAmbiguous(text) || isUnindented) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0 }));
};

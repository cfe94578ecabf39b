// A separate module, so that `yaml` is loaded only for `--output yaml`. A static import is needed, because the build
// gives a dynamic import of this CommonJS package no named exports.
import { Document, Scalar, visit } from "yaml";
import { escapeYaml, isUnsafe } from "./printable.js";

/** Renders a value as YAML. Long lines are not folded, and repeated objects are written out rather than referenced. */
export const renderYaml = (value: unknown): string => {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // Only this style has escapes.
      if (typeof node.value === "string" && isUnsafe(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0 }));
};

// A module of its own, so that `yaml` is loaded only for `--output yaml`. A static import is needed, because the build
// gives a dynamic import of this CommonJS package no named exports.
import { stringify } from "yaml";

/** Renders a value as YAML. Long lines are not folded, and repeated objects are written out rather than referenced. */
export const renderYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

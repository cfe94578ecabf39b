import { stringify } from "yaml";

/** Long lines stay whole, and equal parts are written out each time. */
export const renderYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

/** The values of `--output`. */
export const outputFormats = ["table", "json", "yaml", "csv", "ndjson", "env", "name"] as const;
/** How results are printed. `env` prints lines of the form `NAME=value`, and `name` prints ids only. */
export type OutputFormat = (typeof outputFormats)[number];

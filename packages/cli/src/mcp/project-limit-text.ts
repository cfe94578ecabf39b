/** Help of `--project` for `mgmt mcp`, and for `mgmt mcp install`, which passes the flag on. */
export const projectLimitText =
  "limit every tool to one project, by its id or name; without a value, to the default project of the folder";

/** What `--project` means, to `mgmt mcp`, and to `mgmt mcp install`, which passes it on. */
export const projectLimitText =
  "limit every tool to one project, by its id or name; without a value, to the default project of the folder";

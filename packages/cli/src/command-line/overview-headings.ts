/** Titles of the sections in `mgmt --help` that contain commands without an operation, in the order of the overview. */
export const overviewHeadings = {
  account: "Account:",
  provisioning: "Provisioning:",
  machine: "This machine:",
  about: "About:",
} as const;

/** Sections that list only the names of their commands, so that the overview fits on a screen. */
export const headingsWithNamesOnly: readonly string[] = [overviewHeadings.account, overviewHeadings.about];

/** Sections of the overview with hand-written commands, in its order. */
export const headings = {
  account: "Account:",
  provisioning: "Provisioning:",
  machine: "This machine:",
  about: "About:",
} as const;

/** Sections whose commands the overview lists by name only, so that it fits on a screen. */
export const headingsWithNamesOnly: readonly string[] = [headings.account, headings.about];

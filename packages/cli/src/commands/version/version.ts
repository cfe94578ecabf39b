import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

/** What `mgmt version` prints. */
export interface PrintedVersion {
  readonly version: string;
  /** Version of Node.js. */
  readonly node: string;
  /** Operating system and processor: `linux-x64`. */
  readonly platform: string;
}

export const versionCommand: HandwrittenCommand<PrintedVersion> = {
  commandPath: "version",
  helpGroup: "about",
  order: 70,
  summary: "Show the version",
  description:
    "Prints the version of mgmt, as mgmt --version does. With --output json, also the version of Node.js and the platform.",
  examples: ["mgmt version", "mgmt version --output json"],
  define: (command, { output, version }) => {
    command.action(async () => {
      if (output.format === "table" && !output.presentation.query && !output.presentation.fields) {
        return output.writeText(version);
      }
      const { versions, platform, arch } = process;
      const result: PrintedVersion = { version, node: versions.node, platform: `${platform}-${arch}` };
      await output.writeResult(result);
    });
  },
};

import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

export const unlinkCommand: HandwrittenCommand = {
  commandPath: "unlink",
  helpGroup: "account",
  order: 80,
  summary: "Remove the link of this folder",
  description:
    "Deletes the .mgmt/link.json that applies here: the one in this folder, else in the nearest folder above.",
  examples: ["mgmt unlink"],
  define: (command, context) => {
    command.action(async () => {
      const { runUnlink } = await import("./run-unlink.js");
      await runUnlink(context);
    });
  },
};

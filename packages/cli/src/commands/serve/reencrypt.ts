import type { ReencryptedSecrets } from "@mgmt/platform/serve";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, loadServeSettings } from "../../platform/serve-options.js";

export const serveReencryptCommand: HandwrittenCommand<ReencryptedSecrets> = {
  commandPath: "serve reencrypt",
  order: 55,
  summary: "Encrypt the secrets in the records with a new key",
  description:
    "Encrypts all secrets in the records with the first key of the key file, while servers run. The other keys in the file are not needed then. " +
    "Changes nothing while a server encrypts with another key.",
  examples: ["mgmt serve reencrypt --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { serve, settings } = await loadServeSettings(collectServeFlags(command), context);
      const result = await serve.reencryptService(settings);
      await context.output.writeResult(result);
      if (result.unusedKeyIds.length > 0)
        context.output.info(
          `Remove the other keys from ${settings.keyFile} on every server, and keep a copy of them.`,
        );
    });
  },
};

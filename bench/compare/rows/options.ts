import { inspect } from "node:util";
import { type Row, type Section, behavior } from "../row.js";
import { servedRow, token } from "../served.js";
import type { Sdk } from "../sdk.js";

/** Tells what an SDK makes of a wrong option of the client, or of a call. */
const wrongOption = (
  title: string,
  clientOption: (sdk: Sdk) => object | undefined,
  callOption?: object,
): Row =>
  servedRow(
    title,
    (sdk) => [{ body: sdk.created }],
    async ({ sdk, baseUrl, requests }) => {
      const options = clientOption(sdk);
      if (!options) return behavior("has no retries", 3);
      const [name = ""] = Object.keys(callOption ?? options);
      const warnings: unknown[] = [];
      const onWarning = (warning: unknown): void => void warnings.push(warning);
      process.on("warning", onWarning);
      // An SDK may throw before it returns a promise.
      const call = async (): Promise<unknown> => sdk.create(sdk.client(baseUrl, token, options), callOption);
      const error = await call().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      // Warnings come in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      process.off("warning", onWarning);
      const [sent] = requests;
      if (!sent) {
        const isNamed = inspect(error).includes(name);
        return isNamed ? behavior("refused, and named", 0) : behavior("refused, without its name", 1);
      }
      if (`${sent.path} ${sent.body}`.includes(name)) return behavior("sent to the service", 3);
      const isWarned = inspect(warnings).includes(name);
      return isWarned ? behavior("ignored, with a warning", 2) : behavior("ignored", 3);
    },
  );

export const options: Section = {
  title: "Mistakes that a compiler does not see",
  about: "In JavaScript, and in objects from a configuration.",
  rows: [
    wrongOption("a misspelled option of the client, `maxRetrys`", () => ({ maxRetrys: 0 })),
    wrongOption('an option of the wrong type: `"two"` retries', (sdk) => sdk.retriesOption?.("two")),
    wrongOption("`idempotency_key` among the options of a create", () => ({}), { idempotency_key: "k" }),
    servedRow(
      "an empty id",
      (sdk) => [{ body: sdk.created }],
      async ({ sdk, client, requests }) => {
        // An SDK may throw before it returns a promise, and the response may not be what it expects.
        const call = async (): Promise<unknown> => sdk.get(client, "");
        await call().catch(() => undefined);
        const [sent] = requests;
        return sent ? behavior(`sends \`${sent.method} ${sent.path}\``, 1) : behavior("refused", 0);
      },
    ),
  ],
};

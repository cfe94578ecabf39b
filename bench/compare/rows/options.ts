import { inspect } from "node:util";
import { type Cell, type Section, behavior } from "../row.js";
import { withServer } from "../scripted-server.js";
import type { Sdk } from "../sdk.js";

/** Tells what an SDK makes of a wrong option. */
const reaction = (sdk: Sdk, option: string, call: (baseUrl: string) => Promise<unknown>): Promise<Cell> =>
  withServer(
    () => [{ body: sdk.created }],
    async ({ baseUrl, requests }) => {
      const warnings: unknown[] = [];
      const onWarning = (warning: unknown): void => void warnings.push(warning);
      process.on("warning", onWarning);
      try {
        // An SDK may throw before it returns a promise.
        const error = await Promise.resolve()
          .then(() => call(baseUrl))
          .then(
            () => undefined,
            (reason: unknown) => reason,
          );
        // Warnings come in a later turn.
        await new Promise((resolve) => setImmediate(resolve));
        if (requests.length === 0) {
          return inspect(error).includes(option)
            ? behavior("refused, and named", 0)
            : behavior("refused, without its name", 1);
        }
        const [sent] = requests;
        if (sent && `${sent.path} ${sent.body}`.includes(option)) return behavior("sent to the service", 3);
        return inspect(warnings).includes(option)
          ? behavior("ignored, with a warning", 2)
          : behavior("ignored", 3);
      } finally {
        process.off("warning", onWarning);
      }
    },
  );

const token = "a-good-token";

export const options: Section = {
  title: "Mistakes that a compiler does not see",
  about: "In JavaScript, and in objects from a configuration.",
  rows: [
    {
      title: "a misspelled option of the client, `maxRetrys`",
      measure: (sdk) =>
        reaction(sdk, "maxRetrys", (baseUrl) => sdk.create(sdk.client(baseUrl, token, { maxRetrys: 0 }))),
    },
    {
      title: 'an option of the wrong type: `"two"` retries',
      measure: (sdk) => {
        const option = sdk.retriesOption("two");
        const [name = ""] = Object.keys(option);
        return reaction(sdk, name, (baseUrl) => sdk.create(sdk.client(baseUrl, token, option)));
      },
    },
    {
      title: "`idempotency_key` among the options of a create",
      measure: (sdk) =>
        reaction(sdk, "idempotency_key", (baseUrl) =>
          sdk.create(sdk.client(baseUrl, token), { idempotency_key: "k" }),
        ),
    },
    {
      title: "an empty id",
      measure: (sdk) =>
        withServer(
          () => [{ body: sdk.created }],
          async ({ baseUrl, requests }) => {
            // An SDK may throw before it returns a promise, and the response may not be what it expects.
            await Promise.resolve()
              .then(() => sdk.get(sdk.client(baseUrl, token), ""))
              .catch(() => undefined);
            const [sent] = requests;
            return sent ? behavior(`sends \`${sent.method} ${sent.path}\``, 1) : behavior("refused", 0);
          },
        ),
    },
  ],
};

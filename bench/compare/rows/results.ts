import { inspect } from "node:util";
import { type Section, behavior } from "../row.js";
import { servedRow, token } from "../served.js";

const password = "postgresql://user:hunter2-hunter2@db.example.com/app";
const noIteration = behavior("has no iterator", 3);
/** More requests than a list of two pages needs. */
const maxRequests = 10;

const shows = (value: unknown, secret: string) =>
  inspect(value).includes(secret) ? behavior("shows it", 1) : behavior("does not show it", 0);

export const results: Section = {
  title: "Pages and secrets",
  about: "A page may be empty and still not be the last one. What `console.log` prints ends up in logs.",
  rows: [
    servedRow(
      "an empty page between two others, with `for await`",
      (sdk) => [sdk.page(["p-0"], "c-1"), sdk.page([], "c-2"), sdk.page(["p-1"])],
      async ({ sdk, client }) => {
        if (!sdk.iterate) return noIteration;
        let found = 0;
        try {
          for await (const item of sdk.iterate(client)) if (item !== undefined) found += 1;
        } catch {
          return behavior("ends with an error", 1);
        }
        return found === 2 ? behavior("goes on", 0) : behavior("stops without an error", 2);
      },
    ),
    servedRow(
      "a cursor that repeats, with `for await`",
      (sdk) => [sdk.page(["p-0"], "p-0")],
      async ({ sdk, client, requests }) => {
        if (!sdk.iterate) return noIteration;
        try {
          for await (const item of sdk.iterate(client)) {
            if (item !== undefined && requests.length >= maxRequests) return behavior("goes on forever", 2);
          }
        } catch {
          return behavior("ends with an error", 0);
        }
        return behavior("stops without an error", 1);
      },
    ),
    {
      title: "`console.log(client)` and the token",
      measure: (sdk) => shows(sdk.client("http://127.0.0.1:9", token), token),
    },
    servedRow(
      "`console.log(error)` of a 401 and the token",
      (sdk) => [{ status: 401, body: sdk.failure("unauthorized") }],
      async ({ sdk, client }) => {
        const error = await sdk.list(client).then(
          () => {
            throw new Error("The call did not fail");
          },
          (reason: unknown) => reason,
        );
        return shows(error, token);
      },
    ),
    servedRow(
      "`console.log` of a response, and the secret in it",
      (sdk) => [{ body: sdk.secret(password) }],
      async ({ sdk, client }) => shows(await sdk.create(client), password),
    ),
  ],
};

import { inspect } from "node:util";
import { type Section, behavior } from "../row.js";
import { withServer } from "../scripted-server.js";

const token = "a-good-token-that-is-a-secret";
const password = "postgresql://user:hunter2-hunter2@db.example.com/app";
/** More requests than a list of two pages needs. */
const maxRequests = 10;

const shows = (value: unknown, secret: string) =>
  inspect(value).includes(secret) ? behavior("shows it", 1) : behavior("does not show it", 0);

export const results: Section = {
  title: "Pages and secrets",
  about: "A page may be empty and still not be the last one. What `console.log` prints ends up in logs.",
  rows: [
    {
      title: "an empty page between two others, with `for await`",
      measure: (sdk) =>
        withServer(
          (baseUrl) => [
            sdk.page(["p-0"], "c-1", baseUrl),
            sdk.page([], "c-2", baseUrl),
            sdk.page(["p-1"], undefined, baseUrl),
          ],
          async ({ baseUrl }) => {
            let found = 0;
            try {
              for await (const item of sdk.iterate(sdk.client(baseUrl, token)))
                if (item !== undefined) found += 1;
            } catch {
              return behavior("ends with an error", 1);
            }
            return found === 2 ? behavior("goes on", 0) : behavior("stops without an error", 2);
          },
        ),
    },
    {
      title: "a cursor that repeats, with `for await`",
      measure: (sdk) =>
        withServer(
          (baseUrl) => [sdk.page(["p-0"], "p-0", baseUrl)],
          async ({ baseUrl, requests }) => {
            try {
              for await (const item of sdk.iterate(sdk.client(baseUrl, token))) {
                if (item !== undefined && requests.length >= maxRequests)
                  return behavior("goes on forever", 2);
              }
            } catch {
              return behavior("ends with an error", 0);
            }
            return behavior("stops without an error", 1);
          },
        ),
    },
    {
      title: "`console.log(client)` and the token",
      measure: (sdk) => Promise.resolve(shows(sdk.client("http://127.0.0.1:9", token), token)),
    },
    {
      title: "`console.log(error)` of a 401 and the token",
      measure: (sdk) =>
        withServer(
          () => [{ status: 401, body: sdk.failure("unauthorized") }],
          async ({ baseUrl }) => {
            const error: unknown = await sdk
              .list(sdk.client(baseUrl, token))
              .catch((reason: unknown) => reason);
            if (!(error instanceof Error)) throw new Error("The call did not fail");
            return shows(error, token);
          },
        ),
    },
    {
      title: "`console.log` of a response, and the secret in it",
      measure: (sdk) =>
        withServer(
          () => [{ body: sdk.secret(password) }],
          async ({ baseUrl }) => shows(await sdk.create(sdk.client(baseUrl, token)), password),
        ),
    },
  ],
};

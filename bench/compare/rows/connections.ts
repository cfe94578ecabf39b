import { type Section, amount, behavior } from "../row.js";
import { served, token } from "../served.js";

const password = "postgresql://user:password@db.example.com/postgres?sslmode=require";

/** Returns a client that counts the calls that a program makes to its methods, at any depth. */
const counting = <Client extends object>(client: Client, onCall: () => void): Client =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "function")
        return (...parameters: unknown[]): unknown => {
          onCall();
          return Reflect.apply(value, target, parameters);
        };
      return typeof value === "object" && value !== null ? counting(value, onCall) : value;
    },
  });

export const connections: Section = {
  title: "From nothing to a connection string",
  about:
    "The calls that a program makes to create a project and get the connection string of its database, which is ready at the second poll.",
  rows: [
    {
      title: "calls to the connection string of a database that is ready",
      measure: async (sdk) => {
        const { connect } = sdk;
        if (!connect) return behavior("has no databases", 99);
        const replies = connect.bodies(password).map((body) => ({ body }));
        return served(
          sdk,
          (_, index) => replies[index] ?? "end",
          async ({ baseUrl, requests }) => {
            let calls = 0;
            const client = counting(Object(sdk.client(baseUrl, token)), () => (calls += 1));
            if ((await connect.run(client)) !== password || requests.length !== replies.length)
              throw new Error("The database is not ready");
            return amount(calls, "");
          },
        );
      },
    },
  ],
};

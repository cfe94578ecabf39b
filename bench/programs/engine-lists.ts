import { createServer } from "@mgmt/mock/server";
import { type EngineLists, serveCalls } from "./calls.js";
import { send } from "./send.js";
import { spend } from "./spend.js";

let list: (() => Promise<void>) | undefined;

serveCalls<EngineLists>({
  start: async (databases) => {
    const { baseUrl, engine } = await createServer();
    const token = await engine.tokens.service();
    for (let index = 0; index < databases; index += 1) {
      const body = { name: `bench ${String(index)}` };
      const response = await send({ url: `${baseUrl}/v1/projects`, token, method: "POST", body });
      if (response.status !== 201) throw new Error(response.body);
    }
    const request = {
      method: "GET",
      path: `/v1/databases?limit=${String(databases)}`,
      headers: { authorization: `Bearer ${token}` },
    };
    list = async () => {
      const { status, body = "" } = await engine.handle(request);
      // Every database has one such property; parsing would cost more than the request.
      if (status !== 200 || body.split('"type":"database"').length - 1 !== databases) {
        throw new Error(`A response is not the list: ${body}`);
      }
    };
  },
  time: (requests) => {
    if (!list) throw new Error("`start` must be called first");
    return spend(requests, list);
  },
});

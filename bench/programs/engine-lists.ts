import { createServer } from "@mgmt/mock/server";
import { answer, spend } from "./answer.js";
import { send } from "./projects.js";

const databases = 100;

/** Lists databases in the process of the reference server, without HTTP. */
await answer(async () => {
  const { baseUrl, engine } = await createServer();
  const token = await engine.tokens.service();
  for (let index = 0; index < databases; index += 1) {
    const body = { name: `bench ${String(index)}` };
    await send(`${baseUrl}/v1/projects`, 201, { token, method: "POST", body });
  }
  const request = {
    method: "GET",
    path: `/v1/databases?limit=${String(databases)}`,
    headers: { authorization: `Bearer ${token}` },
  };
  return spend(1_500, async () => {
    const { status, body = "" } = await engine.handle(request);
    // Every database has one such property; parsing would cost more than the request.
    if (status !== 200 || body.split('"type":"database"').length - 1 !== databases) {
      throw new Error(`A response is not the list: ${body}`);
    }
  });
});

// An ES module worker: a request's body says where the reference server is, its answer what came of it.
import { run } from "./bundled.mjs";

export default {
  /** @param {Request} request */
  async fetch(request) {
    try {
      return new Response(await run(await request.json()));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};

import { type Mock, setupMock } from "@mgmt/mock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Contract, loadContract } from "../../scripts/generate/contract/contract.js";
import { comparable, exampleRequests, idsIn, sendExample } from "./replay.js";
import { storyIds, storyOptions, storySnapshot } from "./story.js";

let contract: Contract;
let mock: Mock;

beforeAll(async () => {
  contract = await loadContract();
  mock = setupMock({ ...storyOptions, initial: await storySnapshot() });
});
afterAll(() => mock.close());

describe("the examples of the contract", () => {
  it("are requests that succeed, with the responses that the contract shows", async () => {
    const shown = new Set<string>();
    for (const request of exampleRequests(contract)) {
      await mock.reset();
      const { operation, name, response: example } = request;
      const response = await sendExample(mock, request);
      const text = await response.text();
      const where = `${operation.id} ${name}`;
      expect({ where, status: response.status }, text).toEqual({ where, status: operation.success.status });
      if (example === undefined) continue;
      shown.add(operation.id);
      const compared = comparable(JSON.parse(text), example);
      expect({ where, body: compared.actual }).toEqual({ where, body: compared.example });
    }
    const withBody = contract.operations.filter(({ success }) => success.schema);
    expect(withBody.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });

  it("are about the same resources everywhere, and those that a request of them creates", () => {
    const created = exampleRequests(contract).flatMap(({ operation, response }) =>
      operation.method === "POST" ? idsIn(JSON.stringify(response ?? "")) : [],
    );
    const known = new Set<string>([...Object.values(storyIds), ...created]);
    const used = idsIn(JSON.stringify(contract.document));
    expect(used.filter((id) => !known.has(id))).toEqual([]);
    expect(Object.values(storyIds).filter((id) => !used.includes(id))).toEqual([]);
  });

  it("exist for every parameter, except cursors", () => {
    const parameters = Object.values(contract.document.components.parameters);
    const without = parameters.filter(({ example }) => example === undefined);
    expect(without.map(({ name }) => name)).toEqual(["cursor"]);
  });

  it("never fill in two parameters that exclude each other", () => {
    const requests = exampleRequests(contract).map(({ operation, path }) => ({
      operation,
      filled: new URLSearchParams(path.split("?")[1]),
    }));
    const exclusive = requests.flatMap(({ operation, filled }) =>
      operation.queryParameters.flatMap(({ name, notWith }) =>
        notWith.map((other) => ({ operation: operation.id, both: filled.has(name) && filled.has(other) })),
      ),
    );
    expect(exclusive.length).toBeGreaterThan(3);
    expect(exclusive.filter(({ both }) => both)).toEqual([]);
  });
});

import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { MessageFilter } from "./message-filter.js";

/** Writes chunks, and returns the lines that are passed on, and the answers as `code id message`. */
const filter = async (
  chunks: readonly (string | Buffer)[],
  maxBytes?: number,
): Promise<{ forwarded: string[]; answers: string[] }> => {
  const answers: string[] = [];
  const stream = new MessageFilter((line) => {
    expect(line.endsWith("\n")).toBe(true);
    const { jsonrpc, id, error } = JSON.parse(line) as {
      jsonrpc: string;
      id: unknown;
      error: { code: number; message: string };
    };
    expect(jsonrpc).toBe("2.0");
    answers.push(`${String(error.code)} ${JSON.stringify(id)} ${error.message}`);
  }, maxBytes);
  let text = "";
  stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await once(stream, "end");
  return { forwarded: text.split("\n").filter(Boolean), answers };
};

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context"}}';

describe("a line from the client", () => {
  it.each([
    call,
    '{"jsonrpc":"2.0","id":"a","method":"tools/list"}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
    '{"jsonrpc":"2.0","id":3,"result":{}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"a"}}',
  ])("is passed on if it can be a message: %s", async (line) => {
    expect(await filter([`${line}\r\n`])).toEqual({ forwarded: [line], answers: [] });
  });

  it("is passed on without params that are null", async () => {
    expect(await filter(['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}\n'])).toEqual({
      forwarded: ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
      answers: [],
    });
  });

  it.each([
    ["{", "-32700 null The line is not JSON."],
    ['{"id":1}{"id":2}', "-32700 null The line is not JSON."],
    ["3", "-32600 null A message must be an object."],
    ["null", "-32600 null A message must be an object."],
    ["[]", "-32600 null A batch is not a message"],
    [`[${call}]`, "-32600 null A batch is not a message"],
    ["{}", "-32600 null method must be a string."],
    ['{"jsonrpc":"2.0","id":5}', "-32600 5 method must be a string."],
    ['{"jsonrpc":"2.0","id":"a","method":3}', '-32600 "a" method must be a string.'],
    ['{"jsonrpc":"2.0","id":5,"method":null}', "-32600 5 method must be a string."],
    ['{"jsonrpc":"2.0","method":{}}', "-32600 null method must be a string."],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', '-32600 5 jsonrpc must be "2.0".'],
    ['{"id":5,"method":"ping"}', '-32600 5 jsonrpc must be "2.0".'],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', "-32600 null id must be a string or an integer."],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "-32600 null id must be"],
    ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', "-32600 null id must be"],
    ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[]}', "-32602 5 params must be an object."],
    ['{"jsonrpc":"2.0","id":5,"method":"initialize","params":"a"}', "-32602 5 params must be an object."],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":3}}', "-32602 5 params._meta is not valid."],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","extra":1}', "-32600 5 A request has only"],
  ])("is answered if it is none: %s", async (line, expected) => {
    const { forwarded, answers } = await filter([`${line}\n${call}\n`]);
    expect(answers).toEqual([expect.stringContaining(expected)]);
    expect(forwarded).toEqual([call]);
  });

  it("can come in parts, with a byte order mark, and between empty lines", async () => {
    const bytes = Buffer.from(`\uFEFF\n \r\n\uFEFF${call.replace("context", "é")}\n${call}\n{"half`);
    const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(await filter(chunks)).toEqual({ forwarded: [call.replace("context", "é"), call], answers: [] });
  });
});

describe("a message that is too long", () => {
  const blank = " ".repeat(5_000);
  it.each([
    ["at its beginning", `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${blank}"}}`, "7"],
    ["at its end", `{"method":"x","params":{"id":8,"a":"${blank}"},"jsonrpc":"2.0","id":"b"}`, '"b"'],
    ["in the middle", `{"method":"${blank}","id":9,"params":{"a":"${blank}"}}`, "null"],
    ["in its parameters alone", `{"method":"x","params":{"a":"${blank}","id":9}}`, "null"],
  ])("is answered with the id %s, and the next one is passed on", async (_, line, id) => {
    const chunks = `${line}\n${call}\n`.match(/[^]{1,700}/g) ?? [];
    expect(await filter(chunks, 4_000)).toEqual({
      forwarded: [call],
      answers: [`-32600 ${id} A message can have at most 4000 bytes.`],
    });
  });
});

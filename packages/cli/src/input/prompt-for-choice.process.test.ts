import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { useProjectsToChoose } from "../../test/input/projects-to-choose.js";
import { type Step, inPty } from "../../test/pty.js";

const down = "\u001b[B";
const { session, projects } = useProjectsToChoose();

/** Runs a command that prints a project that is asked for. Returns its id, and the line of the answered question. */
const pick = async (
  steps: readonly Step[],
): Promise<{ id: string | undefined; shown: string | undefined }> => {
  const { screen } = await inPty(["projects", "get", "-o", "json"], steps, session.env);
  return {
    id: /"id": "(proj_\w+)"/.exec(screen)?.[1],
    shown: [...screen.matchAll(/✔ Project: (.*?)\s+proj_/g)].at(-1)?.[1],
  };
};
const picked = (name: string): object => ({ id: projects.get(name), shown: name });

const listed = /Project:[\s\S]*shop-5/;
const apart =
  (...keys: string[]) =>
  async (_: unknown, send: (text: string) => void): Promise<string> => {
    for (const key of keys.slice(0, -1)) {
      send(key);
      await sleep(50);
    }
    return keys.at(-1) ?? "";
  };

describe("a list to choose from", () => {
  it.each<[string, Step["type"]]>([
    ["in one write", "needle\r"],
    ["50 ms apart", apart("needle", "\r")],
    ["key by key", apart(..."needle", "\r")],
    ["followed by other keys", "needle\rshop-3"],
    ["followed by another line", "needle\rshop-3\r"],
    ["after an arrow", `${down}${down}needle\r`],
    ["with other words that match", "nee proj_\r"],
  ])("returns what it shows when text and Enter come %s", async (_, type) => {
    expect(await pick([{ when: listed, type }])).toEqual(picked("needle"));
  });

  it("ignores an Enter that was typed before the list is on the screen", async () => {
    const answered = await pick([
      { when: /pid \d+\./, type: "\r" },
      { when: listed, type: "needle\r" },
    ]);
    expect(answered).toEqual(picked("needle"));
  });

  it("prefers the only exact name among several matches", async () => {
    expect(await pick([{ when: listed, type: "shop-1\r" }])).toEqual(picked("shop-1"));
  });

  it("shows several matches before Enter chooses one of them", async () => {
    const several = await pick([
      { when: listed, type: "op-1\r" },
      { when: /Project: op-1[\s\S]*shop-11/, type: `${down}\r` },
    ]);
    expect(several).toEqual(picked("shop-10"));
  });

  it("chooses nothing for a search that nothing matches, and keeps what was typed", async () => {
    const answered = await pick([
      { when: listed, type: "needless\r" },
      { when: /needless[\s\S]*No results found/, type: "\u007f\u007f\u007f" },
      { when: /❯ needle/, type: "\r" },
    ]);
    expect(answered).toEqual(picked("needle"));
    const id = projects.get("needle")?.slice("proj_".length) ?? "";
    const steps: Step[] = [
      { when: listed, type: `${id.slice(0, 5)}\r` },
      { when: /No results found/, type: "\u0003" },
    ];
    expect((await inPty(["projects", "get"], steps, session.env)).status).toBe(130);
  });

  it("chooses what another text in one write with Enter means while it shows no choice", async () => {
    const noChoice = /nothing[\s\S]*No results found/;
    const clear = "\u007f".repeat("nothing".length);
    const answered = await pick([
      { when: listed, type: "nothing" },
      { when: noChoice, type: `${clear}needle\r` },
    ]);
    expect(answered).toEqual(picked("needle"));
    const several = await pick([
      { when: listed, type: "nothing\r" },
      { when: noChoice, type: `${clear}op-1\r` },
      { when: /Project: op-1[\s\S]*shop-11/, type: `${down}\r` },
    ]);
    expect(several).toEqual(picked("shop-10"));
  });

  it("finds an id by its beginning", async () => {
    const id = projects.get("shop-7") ?? "";
    expect(await pick([{ when: listed, type: `${id.slice(0, 20)}\r` }])).toEqual(picked("shop-7"));
  });

  it("keeps the ids of its choices whole on a narrow terminal, on indented lines", async () => {
    const id = projects.get("needle") ?? "none";
    const step: Step = { when: /Project:[\s\S]*shop-0/, type: "needle\r" };
    const { status, screen } = await inPty(["projects", "get", "-o", "name"], [step], session.env, 40);
    expect(status).toBe(0);
    expect(screen.replaceAll("\r", "")).toMatch(new RegExp(`✔ Project: needle *\n {4}${id}`));
  });
});

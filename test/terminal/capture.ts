import { type Screen, screenOf } from "./emulator.js";
import { normalize } from "./normalize.js";
import type { Place } from "./place.js";
import type { Shot } from "./shot.js";
import type { Ending, Terminal } from "./terminal.js";

/** What a shot shows, and how the command ended. */
export interface Captured {
  readonly words: readonly string[];
  readonly screen: Screen;
  /** Of a command that was interrupted when the shot was taken, how it ended then. */
  readonly ending: Ending;
}

/** Runs a command in a terminal, types what the shot says, and takes its screen. */
export const capture = async (shot: Shot, place: Place, columns: number): Promise<Captured> => {
  await shot.prepare?.(place);
  const words = shot.line(place);
  const terminal = place.run(words, { columns });
  return terminal.orStuck(follow(shot, terminal)).then(async ({ raw, ending }) => {
    const [shownWords, shown] = shownOf(words, raw, place);
    return { words: shownWords, screen: await screenOf(shown, columns), ending };
  });
};

/** Returns the words and what the command wrote, as they are in every run. */
const shownOf = (words: readonly string[], raw: string, place: Place): [readonly string[], string] => {
  // The ids in a help text are the same in every run.
  if (words.includes("--help")) return [words, raw];
  const all = normalize([...words, raw].join(separator), place).split(separator);
  return [all.slice(0, words.length), all.slice(words.length).join(separator)];
};
/** Is in no word. */
const separator = "\u0000";

/** Types what the shot says. Returns what the command wrote until the shot was taken, and how it ended. */
const follow = async (
  { keys = [], rests }: Shot,
  terminal: Terminal,
): Promise<{ raw: string; ending: Ending }> => {
  for (const { when, type } of keys) {
    await terminal.until(when);
    terminal.type(type);
  }
  if (rests === undefined) {
    const ending = await terminal.ending;
    return { raw: ending.raw, ending };
  }
  await terminal.until(rests);
  // More text may follow the one that the shot waits for.
  await terminal.settled();
  const { raw } = terminal;
  terminal.type("\u0003");
  return { raw, ending: await terminal.ending };
};

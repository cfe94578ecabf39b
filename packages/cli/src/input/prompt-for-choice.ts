import { setImmediate as waitForPrompt } from "node:timers/promises";
import type { Context } from "./context.js";
import { ask } from "./ask.js";
import { type PromptChoice, findMatchingChoices, findIntendedChoice, renderChoice } from "./choice.js";
import { measureWidth } from "../output/width.js";
import { discardTypedLines } from "./discard-typed-lines.js";
import { isId } from "./ids.js";

interface ChoiceQuestion {
  readonly title: string;
  readonly choices: readonly PromptChoice[];
  /** Whether the list is complete. If not, the user can also enter an id. Default: true. */
  readonly isComplete?: boolean;
}

/** Up to this many choices fit on a small terminal. */
const pageSize = 10;

/** Some terminals do not report their width. */
const defaultColumns = 80;

/** Asks for one of several choices, which can be searched. */
export const promptForChoice = (question: ChoiceQuestion, context: Context): Promise<string> =>
  ask(context, async ({ search }, terminal) => {
    await discardTypedLines(terminal.input);
    const message = `${question.title}:`;
    const columns = terminal.output.columns || defaultColumns;
    const choiceSearch = new ChoiceSearch(question, (keys) => terminal.input.unshift(keys));
    const onKey = (_: unknown, key?: { name?: string }): void => {
      if (key?.name === "return" || key?.name === "enter") void choiceSearch.onEnter();
    };
    terminal.input.on("keypress", onKey);
    try {
      const answer = await search(
        {
          message,
          pageSize,
          source: (searchText = "") =>
            choiceSearch.list(searchText).map((choice) => ({
              value: choice.value,
              name: renderChoice(choice, columns, measureWidth("❯ ")),
              short: renderChoice(choice, columns, measureWidth(`✔ ${message} `)),
            })),
          validate: (choiceValue) => choiceSearch.waitUntilAccepted(choiceValue),
        },
        terminal,
      );
      return choiceSearch.answer?.value ?? answer;
    } finally {
      terminal.input.off("keypress", onKey);
    }
  });

/**
 * Prevents a race in the prompt, which loads the list for the typed text asynchronously. If Enter arrives together with text, as when text
 * is pasted, the list for this text is not loaded yet. The prompt would select a choice of the previous list, but show one of the new list.
 */
class ChoiceSearch {
  answer: PromptChoice | undefined;
  /** The text that was typed. */
  private searchText = "";
  /** The text whose list the prompt shows. */
  private listedText: string | undefined;
  private isDeciding = false;
  private hasMoreInput = false;

  constructor(
    private readonly question: ChoiceQuestion,
    /** Sends keys to the prompt as if they had been typed. */
    private readonly typeKeys: (keys: string) => void,
  ) {}

  /** Returns the choices to show for the input. */
  list(searchText: string): readonly PromptChoice[] {
    if (this.answer) return [this.answer];
    if (this.isDeciding) this.hasMoreInput = true;
    this.searchText = searchText;
    void this.recordListedText(searchText);
    return this.findMatches(searchText);
  }

  /** Waits until the prompt shows the list, which it does after two microtasks. */
  private async recordListedText(searchText: string): Promise<void> {
    await Promise.resolve();
    await Promise.resolve();
    this.listedText = searchText;
  }

  /** Decides what Enter selects. Resolves only if the prompt shows this choice and may end. */
  async waitUntilAccepted(choiceValue: string): Promise<true> {
    if (this.answer) return true;
    if (this.isDeciding) return waitForever();
    this.isDeciding = true;
    const { searchText } = this;
    const isListed = this.listedText === searchText;
    await waitForPrompt();
    this.isDeciding = false;
    const matches = this.findMatches(searchText);
    this.answer = isListed
      ? matches.find((choice) => choice.value === choiceValue)
      : findIntendedChoice(matches, searchText);
    if (this.answer && isListed && !this.hasMoreInput) return true;
    // The list of the prompt does not contain the answer, or the prompt has cleared the text, which the user has to correct.
    if (this.answer) await this.confirmAnswer();
    else if (!this.hasMoreInput) this.typeKeys(searchText);
    this.hasMoreInput = false;
    return waitForever();
  }

  /**
   * Decides what Enter selects while the prompt shows an empty list. The prompt ignores the key and does not clear the text, although the
   * list for the text may have been loaded by now.
   */
  async onEnter(): Promise<void> {
    const { searchText, listedText } = this;
    const isEmpty = listedText === undefined || this.findMatches(listedText).length === 0;
    if (this.answer || this.isDeciding || !isEmpty || listedText === searchText) return;
    this.isDeciding = true;
    await waitForPrompt();
    this.isDeciding = false;
    this.hasMoreInput = false;
    this.answer = findIntendedChoice(this.findMatches(searchText), searchText);
    if (this.answer) await this.confirmAnswer();
  }

  /** Makes the prompt show the answer alone, and end with it. */
  private async confirmAnswer(): Promise<void> {
    this.typeKeys(" ");
    await waitForPrompt();
    this.typeKeys("\r");
  }

  private findMatches(searchText: string): PromptChoice[] {
    const { choices, isComplete = true } = this.question;
    const id = searchText.trim();
    const isOtherId = !isComplete && isId(id) && !choices.some(({ value }) => value === id);
    return [
      ...findMatchingChoices(choices, searchText),
      ...(isOtherId ? [{ value: id, parts: [`${id} (as typed)`] }] : []),
    ];
  }
}

const waitForever = (): Promise<never> => new Promise(() => undefined);

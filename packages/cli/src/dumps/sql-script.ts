/** A part of a script of SQL, in the order of the script. */
export type ScriptPart =
  | ScriptStatement
  /** Rows of the `COPY … FROM STDIN` before them, and their end. */
  | { readonly kind: "rows"; readonly bytes: Uint8Array }
  | { readonly kind: "rows-end" }
  /** A command of psql with its arguments, such as `\! date`. */
  | { readonly kind: "meta-command"; readonly text: string; readonly line: number }
  /** A comment of one line that is outside of statements, without its dashes. */
  | { readonly kind: "comment"; readonly text: string }
  /** The script ends in the middle of something, which began on this line. */
  | { readonly kind: "unfinished"; readonly construct: string; readonly line: number };

/** A statement of an SQL script. */
export interface ScriptStatement {
  readonly kind: "statement";
  readonly bytes: Uint8Array;
  /** Line of its first character. The first line of a script is 1. */
  readonly line: number;
  /** Its first words in lower case, at most four. */
  readonly words: readonly string[];
  /** Whether it is a `COPY … FROM STDIN`, whose rows follow. */
  readonly isCopyFromStdin: boolean;
}

/** A statement is longer than this program sends. */
export class StatementTooLongError extends Error {
  constructor(readonly line: number) {
    super("The statement is too long");
  }
}

/** The most bytes of a statement. Neither a message of Postgres nor a string of JavaScript can have many more. */
const maxStatementBytes = 256 * 2 ** 20;

/**
 * Splits a script of SQL into statements as psql does: by semicolons outside of strings, comments, parentheses and the bodies of
 * functions. Source: https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 *
 * @param chunks the script, which may be cut anywhere.
 * @param hasStandardStrings whether a backslash in a string is just that (`standard_conforming_strings`). Asked at each string.
 * @throws StatementTooLongError
 */
export const splitScript = (
  chunks: AsyncIterable<Uint8Array>,
  hasStandardStrings: () => boolean = () => true,
): AsyncGenerator<ScriptPart> => new ScriptSplitter(chunks, hasStandardStrings).split();

type ScriptToken =
  | { readonly kind: "space" | "comment" | "text" | "meta"; readonly end: number }
  | { readonly kind: "word"; readonly end: number; readonly word: string }
  | { readonly kind: "symbol"; readonly end: number; readonly symbol: string }
  | { readonly kind: "unfinished"; readonly end: number; readonly construct: string };

const byteOrderMarkText = "\xef\xbb\xbf";
const spacePattern = /\s+/y;
const wordPattern = /[a-z_\x80-\xff][\w$\x80-\xff]*/iy;
const numberPattern = /\$?\d[\w.]*/y;
const dollarQuotePattern = /\$(?:[a-z_\x80-\xff][\w\x80-\xff]*)?\$/iy;
const continuationPattern = /\s*\n\s*/y;

/** No name is longer, so this many characters are enough to know the token after a word. */
const lookaheadLength = 128;

class ScriptSplitter {
  /** The bytes that were read and are not done with, one character each. */
  private text = "";
  private position = 0;
  /** Line of the character at `countedTo`. */
  private line = 1;
  private countedTo = 0;
  private statement: OpenStatement | undefined;
  private readonly chunkIterator: AsyncIterator<Uint8Array>;
  private isAtEnd = false;
  /** Whether the script has ended in the middle of something. */
  private hasFailed = false;

  constructor(
    chunks: AsyncIterable<Uint8Array>,
    private readonly hasStandardStrings: () => boolean,
  ) {
    this.chunkIterator = chunks[Symbol.asyncIterator]();
  }

  async *split(): AsyncGenerator<ScriptPart> {
    while (this.text.length < byteOrderMarkText.length && (await this.readMore()));
    if (this.text.startsWith(byteOrderMarkText)) this.position = byteOrderMarkText.length;
    while (!this.hasFailed) {
      const token = await this.readToken();
      if (!token) break;
      const { position } = this;
      const getTokenText = (): string => this.text.slice(position, token.end);
      if (token.kind === "unfinished") {
        yield this.failUnfinished(token.construct, this.countLinesTo(position));
        return;
      }
      this.position = token.end;
      if (token.kind === "space") continue;
      if (token.kind === "comment") {
        if (!this.statement && getTokenText().startsWith("--"))
          yield { kind: "comment", text: getTokenText().slice(2).trim() };
      } else if (token.kind === "meta") {
        yield { kind: "meta-command", text: getTokenText().trim(), line: this.countLinesTo(position) };
      } else if (token.kind === "symbol" && token.symbol === ";" && !this.statement?.isNested) {
        yield* this.endStatement();
      } else {
        this.statement ??= new OpenStatement(position, this.countLinesTo(position));
        this.statement.add(token);
      }
    }
    if (!this.hasFailed) yield* this.endStatement();
  }

  private failUnfinished(construct: string, line: number): ScriptPart {
    this.hasFailed = true;
    return { kind: "unfinished", construct, line };
  }

  private async *endStatement(): AsyncGenerator<ScriptPart> {
    const { statement } = this;
    if (!statement) return;
    const bytes = Buffer.from(this.text.slice(statement.start, this.position), "latin1");
    this.statement = undefined;
    const { line, words, isCopyFromStdin } = statement;
    yield { kind: "statement", bytes, line, words, isCopyFromStdin };
    if (isCopyFromStdin) yield* this.readRows();
  }

  /** Reads rows of a `COPY` up to the line `\.`. They begin on the next line. */
  private async *readRows(): AsyncGenerator<ScriptPart> {
    const startLine = this.countLinesTo(this.position) + 1;
    let isFirst = true;
    for (;;) {
      const lineEnd = this.text.indexOf("\n", this.position);
      if (isFirst) {
        if (lineEnd === -1 && (await this.readMore())) continue;
        const restOfLine = this.text.slice(this.position, lineEnd === -1 ? undefined : lineEnd);
        if (restOfLine.trim() !== "") {
          yield {
            kind: "unfinished",
            construct: "a COPY whose rows do not begin on the next line",
            line: startLine,
          };
          return;
        }
        this.position = lineEnd === -1 ? this.text.length : lineEnd + 1;
        isFirst = false;
      }
      const end = this.findEndOfRows();
      if (end) {
        if (end.rowsEnd > this.position) yield { kind: "rows", bytes: this.encodeUpTo(end.rowsEnd) };
        this.position = end.nextPosition;
        yield { kind: "rows-end" };
        return;
      }
      // The rest after the last line break may be the start of the line `\.`.
      const wholeLinesEnd = this.text.lastIndexOf("\n") + 1;
      if (wholeLinesEnd > this.position) {
        yield { kind: "rows", bytes: this.encodeUpTo(wholeLinesEnd) };
        this.position = wholeLinesEnd;
      }
      if (!(await this.readMore())) {
        yield this.failUnfinished("the rows of a COPY", startLine);
        return;
      }
    }
  }

  private encodeUpTo(end: number): Uint8Array {
    return Buffer.from(this.text.slice(this.position, end), "latin1");
  }

  private findEndOfRows(): { readonly rowsEnd: number; readonly nextPosition: number } | undefined {
    const { text, position } = this;
    for (let dot = text.indexOf("\\.", position); dot !== -1; dot = text.indexOf("\\.", dot + 1)) {
      if (dot !== position && text[dot - 1] !== "\n") continue;
      const endPattern = /\\\.\r?(?:\n|$)/y;
      endPattern.lastIndex = dot;
      if (
        endPattern.test(text) &&
        (endPattern.lastIndex < text.length || text.endsWith("\n") || this.isAtEnd)
      ) {
        return { rowsEnd: dot, nextPosition: endPattern.lastIndex };
      }
    }
    return undefined;
  }

  /** Returns the line of a character. It must not be before the character of the previous call. */
  private countLinesTo(position: number): number {
    for (;;) {
      const nextBreak = this.text.indexOf("\n", this.countedTo);
      if (nextBreak === -1 || nextBreak >= position) break;
      this.line += 1;
      this.countedTo = nextBreak + 1;
    }
    return this.line;
  }

  /** Reads at least as much as there is. Returns false at the end. */
  private async readMore(): Promise<boolean> {
    const start = this.statement?.start ?? this.position;
    this.countLinesTo(start);
    this.countedTo = Math.max(0, this.countedTo - start);
    this.text = this.text.slice(start);
    this.position -= start;
    if (this.statement) this.statement.start = 0;
    if (this.text.length > maxStatementBytes)
      throw new StatementTooLongError(this.statement?.line ?? this.line);
    const textChunks = [this.text];
    let length = 0;
    while (!this.isAtEnd && length <= this.text.length) {
      const { done, value } = await this.chunkIterator.next();
      if (done) {
        this.isAtEnd = true;
        break;
      }
      length += value.length;
      textChunks.push(Buffer.from(value.buffer, value.byteOffset, value.length).toString("latin1"));
    }
    this.text = textChunks.join("");
    return length > 0;
  }

  private async readToken(): Promise<ScriptToken | undefined> {
    for (;;) {
      const token = this.scanToken();
      if (token !== "more") return token;
      await this.readMore();
    }
  }

  /** Returns the token at the position, `more` if that is not known yet, or undefined at the end. */
  private scanToken(): ScriptToken | "more" | undefined {
    const { text, position, isAtEnd } = this;
    if (position + lookaheadLength > text.length && !isAtEnd) return "more";
    if (position >= text.length) return undefined;
    const findMatchEnd = (pattern: RegExp): number | undefined => {
      pattern.lastIndex = position;
      return pattern.test(text) ? pattern.lastIndex : undefined;
    };
    const createToken = (
      end: number,
      construct: string,
      kind: "comment" | "text" = "text",
    ): ScriptToken | "more" => {
      if (end !== -1) return { kind, end };
      return isAtEnd ? { kind: "unfinished", end: text.length, construct } : "more";
    };
    const findEndOfMark = (mark: string, from: number): number => {
      const position = text.indexOf(mark, from);
      return position === -1 ? -1 : position + mark.length;
    };
    const character = text.charAt(position);
    const pair = text.slice(position, position + 2);
    if (pair === "--" || character === "\\") {
      const isComment = pair === "--";
      const lineEndPattern = isComment ? /[\n\r]/g : /\n/g;
      lineEndPattern.lastIndex = position;
      const end = lineEndPattern.exec(text)?.index;
      if (end === undefined && !isAtEnd) return "more";
      return { kind: isComment ? "comment" : "meta", end: end ?? text.length };
    }
    if (pair === "/*") return createToken(this.findEndOfComment(), "a comment", "comment");
    if (character === "'")
      return createToken(this.findEndOfString(position, !this.hasStandardStrings()), "a string");
    if (/^e'/i.test(pair)) return createToken(this.findEndOfString(position + 1, true), "a string");
    if (character === '"') return createToken(findEndOfMark('"', position + 1), "a quoted name");
    const quoteEnd = findMatchEnd(dollarQuotePattern);
    if (quoteEnd !== undefined) {
      return createToken(
        findEndOfMark(text.slice(position, quoteEnd), quoteEnd),
        "a string in dollar quotes",
      );
    }
    const spaceEnd = findMatchEnd(spacePattern);
    if (spaceEnd !== undefined) return { kind: "space", end: spaceEnd };
    const numberEnd = findMatchEnd(numberPattern);
    if (numberEnd !== undefined) return { kind: "text", end: numberEnd };
    const wordEnd = findMatchEnd(wordPattern);
    if (wordEnd !== undefined) {
      if (wordEnd === text.length && !isAtEnd) return "more";
      return { kind: "word", end: wordEnd, word: text.slice(position, wordEnd).toLowerCase() };
    }
    return { kind: "symbol", end: position + 1, symbol: character };
  }

  /** Returns the end of the comment at the position, in which others may be, or -1. */
  private findEndOfComment(): number {
    const markPattern = /\/\*|\*\//g;
    markPattern.lastIndex = this.position + 2;
    for (let depth = 1, match = markPattern.exec(this.text); match; match = markPattern.exec(this.text)) {
      depth += match[0] === "/*" ? 1 : -1;
      if (depth === 0) return markPattern.lastIndex;
    }
    return -1;
  }

  /** Returns the end of the string whose first quote is at a position, or -1. */
  private findEndOfString(start: number, hasEscapes: boolean): number {
    const { text } = this;
    let position = start + 1;
    for (;;) {
      const end = text.indexOf("'", position);
      if (end === -1) return -1;
      if (hasEscapes) {
        let backslashCount = 0;
        while (end - backslashCount > position && text[end - backslashCount - 1] === "\\")
          backslashCount += 1;
        if (backslashCount % 2 === 1) {
          position = end + 1;
          continue;
        }
      }
      if (end + 1 === text.length && !this.isAtEnd) return -1;
      if (text[end + 1] === "'") {
        position = end + 2;
        continue;
      }
      if (!hasEscapes) return end + 1;
      // After a line break, a string continues with the same escapes.
      continuationPattern.lastIndex = end + 1;
      const isContinued = continuationPattern.test(text);
      if (isContinued && continuationPattern.lastIndex === text.length && !this.isAtEnd) return -1;
      if (!isContinued || text[continuationPattern.lastIndex] !== "'") return end + 1;
      position = continuationPattern.lastIndex + 1;
    }
  }
}

/** A statement whose end is not known yet. */
class OpenStatement {
  readonly words: string[] = [];
  isCopyFromStdin = false;
  private lastWord = "";
  private parenthesisDepth = 0;
  /** How many of `BEGIN ATOMIC` and `CASE` are open in the body of a function. */
  private bodyDepth = 0;

  constructor(
    public start: number,
    readonly line: number,
  ) {}

  /** Whether a semicolon does not end it. */
  get isNested(): boolean {
    return this.parenthesisDepth > 0 || this.bodyDepth > 0;
  }

  add(token: ScriptToken): void {
    if (token.kind === "symbol") {
      if (token.symbol === "(") this.parenthesisDepth += 1;
      if (token.symbol === ")") this.parenthesisDepth = Math.max(0, this.parenthesisDepth - 1);
    }
    if (token.kind !== "word") {
      this.lastWord = "";
      return;
    }
    if (this.words.length < 4) this.words.push(token.word);
    if (this.parenthesisDepth > 0) return;
    // The grammar of Postgres accepts both words in both directions.
    const isClientStream = token.word === "stdin" || token.word === "stdout";
    if (this.words[0] === "copy" && this.lastWord === "from" && isClientStream) this.isCopyFromStdin = true;
    if (this.createsRoutine) {
      if (token.word === "atomic" && this.lastWord === "begin") this.bodyDepth += 1;
      if (token.word === "case" && this.bodyDepth > 0) this.bodyDepth += 1;
      if (token.word === "end" && this.bodyDepth > 0) this.bodyDepth -= 1;
    }
    this.lastWord = token.word;
  }

  private get createsRoutine(): boolean {
    return /^create (?:or replace )?(?:function|procedure)\b/.test(this.words.join(" "));
  }
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/generate/contract/contract.js";

/** The parts of a message of `tsserver` that the tests read. */
interface Message {
  type: string;
  request_seq?: number;
  success?: boolean;
  message?: string;
  body?: { file: string; start: { line: number; offset: number } }[];
}

/** The language server of TypeScript, which editors ask for definitions. */
export class LanguageServer {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private sequence = 0;

  constructor(private readonly folder: string) {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { module: "NodeNext", strict: true, types: [] } }),
    );
    const program = join(root, "node_modules/typescript/lib/tsserver.js");
    this.process = spawn(process.execPath, [
      program,
      "--disableAutomaticTypingAcquisition",
      "--suppressDiagnosticEvents",
    ]);
    let rest = "";
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("{")) this.receive(JSON.parse(line));
    });
  }

  private receive(message: Message): void {
    if (message.type !== "response" || message.request_seq === undefined) return;
    this.waiting.get(message.request_seq)?.(message);
  }

  private send(command: string, parameters: object): number {
    this.sequence += 1;
    const request = { seq: this.sequence, type: "request", command, arguments: parameters };
    this.process.stdin.write(`${JSON.stringify(request)}\n`);
    return this.sequence;
  }

  /** Returns the file and the line to which "Go to Definition" leads from the last word of a program. */
  async definitionOf(code: string): Promise<{ file: string; line: string }> {
    const file = join(this.folder, `program-${String(this.sequence)}.mts`);
    writeFileSync(file, code);
    this.send("open", { file });
    const lines = code.split("\n");
    const position = { line: lines.length, offset: lines.at(-1)?.length ?? 0 };
    const sequence = this.send("definition", { file, ...position });
    const { body, message } = await new Promise<Message>((resolve) => this.waiting.set(sequence, resolve));
    const definition = body?.at(-1);
    if (!definition) throw new Error(`Nothing is defined at the end of: ${code} ${message ?? ""}`);
    const text = readFileSync(definition.file, "utf8").split("\n");
    return { file: definition.file, line: text[definition.start.line - 1] ?? "" };
  }

  stop(): void {
    this.process.kill();
  }
}

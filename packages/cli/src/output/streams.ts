import { exitCodes } from "../exit-codes.js";

export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Writes text, with a line break at the end. */
export const writeText = (text: string, { stdout }: Pick<Streams, "stdout"> = process): void => {
  stdout.write(text.endsWith("\n") ? text : `${text}\n`);
};

/** Exits quietly when the reader of the output is gone (`mgmt … | head`), and with a message when the disk is full. */
export const exitOnBrokenStreams = ({ stdout, stderr }: Streams = process): void => {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      if (stream === stdout) {
        stderr.write(`error: The output cannot be written (${error.code ?? error.message})\n`);
        stderr.write(
          "hint: Free some space, or write the output elsewhere. The command may have taken effect.\n",
        );
      }
      process.exit(exitCodes.failure);
    });
  }
};

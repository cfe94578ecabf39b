export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Text that was asked for as such: help, the version. */
export const writeText = (text: string, { stdout }: Streams = process): void => {
  stdout.write(text.endsWith("\n") ? text : `${text}\n`);
};

/** A reader that went away (`mgmt … | head`) ends the run quietly; a full disk ends it with a message. */
export const endOnBrokenStreams = ({ stdout, stderr }: Streams = process): void => {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      if (stream === stdout) {
        stderr.write(`error: The answer cannot be written (${error.code ?? error.message})\n`);
        stderr.write(
          "hint: Make room, or send the output elsewhere; what was asked for may have been done.\n",
        );
      }
      process.exit(1);
    });
  }
};

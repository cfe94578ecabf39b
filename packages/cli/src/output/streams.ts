export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Text that was asked for as such: help, the version. */
export const writeText = (text: string, { stdout }: Streams = process): void => {
  stdout.write(text.endsWith("\n") ? text : `${text}\n`);
};

/** A reader that went away (`mgmt … | head`) ends the run quietly. */
export const endQuietlyOnClosedPipe = ({ stdout, stderr }: Streams = process): void => {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
};

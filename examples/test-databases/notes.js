import { DatabaseError } from "pg";

/** Adds a note, and returns its id. Returns undefined if there is no such author. */
export const addNote = async (client, authorId, text) => {
  try {
    const { rows } = await client.query("insert into note (author_id, text) values ($1, $2) returning id", [
      authorId,
      text,
    ]);
    return rows[0].id;
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === "note_author_id_fkey") return undefined;
    throw error;
  }
};

/** Returns the texts of all notes, the latest first. */
export const listNotes = async (client) => {
  const { rows } = await client.query("select text from note order by id desc");
  return rows.map(({ text }) => text);
};

import { desc } from "drizzle-orm";
import { note } from "./schema.js";

/** Adds a note, and returns its id. Returns undefined if there is no such author. */
export const addNote = async (client, authorId, text) => {
  try {
    const [{ id }] = await client.insert(note).values({ authorId, text }).returning({ id: note.id });
    return id;
  } catch (error) {
    if (error.cause?.constraint === "note_author_id_author_id_fk") return undefined;
    throw error;
  }
};

/** Returns the texts of all notes, the latest first. */
export const listNotes = async (client) => {
  const notes = await client.select({ text: note.text }).from(note).orderBy(desc(note.id));
  return notes.map(({ text }) => text);
};

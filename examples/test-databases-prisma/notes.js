/** Adds a note, and returns its id. Returns undefined if there is no such author. */
export const addNote = async (client, authorId, text) => {
  try {
    const { id } = await client.note.create({ data: { authorId, text } });
    return id;
  } catch (error) {
    // The foreign key is not valid.
    if (error.code === "P2003") return undefined;
    throw error;
  }
};

/** Returns the texts of all notes, the latest first. */
export const listNotes = async (client) => {
  const notes = await client.note.findMany({ orderBy: { id: "desc" } });
  return notes.map(({ text }) => text);
};

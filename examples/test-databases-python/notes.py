from psycopg import errors


def add_note(connection, author_id, text):
    """Adds a note, and returns its id. Returns None if there is no such author."""
    try:
        row = connection.execute(
            "insert into note (author_id, text) values (%s, %s) returning id", [author_id, text]
        ).fetchone()
    except errors.ForeignKeyViolation:
        return None
    return row[0]


def list_notes(connection):
    """Returns the texts of all notes, the latest first."""
    return [text for (text,) in connection.execute("select text from note order by id desc")]

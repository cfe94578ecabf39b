import pytest

from notes import add_note, list_notes


@pytest.mark.parametrize("number", range(1, 19))
def test_lists_only_its_own_notes(connection, number):
    for count in range(number):
        add_note(connection, 1, f"note {count}")
    assert len(list_notes(connection)) == number


def test_lists_the_latest_note_first(connection):
    add_note(connection, 1, "milk")
    add_note(connection, 2, "bread")
    assert list_notes(connection) == ["bread", "milk"]


def test_adds_no_note_of_an_author_that_does_not_exist(connection):
    assert add_note(connection, 3, "milk") is None
    assert list_notes(connection) == []

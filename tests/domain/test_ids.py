"""Names that follow from a cause: a quick way to what the library would say."""

import base64
import uuid

from hypothesis import given, strategies as st

from agents.domain.ids import derive_id

OVERLORD = uuid.uuid5(uuid.NAMESPACE_DNS, "overlord")


@given(cause=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=4))
def test_a_derived_name_is_a_uuid_of_version_5_in_22_characters(cause: list[str]) -> None:
    known = base64.urlsafe_b64encode(uuid.uuid5(OVERLORD, "\x1f".join(cause)).bytes).rstrip(b"=").decode()
    assert derive_id(*cause) == known
    assert len(known) == 22

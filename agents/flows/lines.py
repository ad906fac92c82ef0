"""How much a model may say in one piece: enough for a few sentences, too little to flood a card or a prompt."""

from typing import Annotated

from pydantic import Field

Line = Annotated[str, Field(max_length=600)]
Name = Annotated[str, Field(max_length=250)]  # of a file, with its folders, or of a tag

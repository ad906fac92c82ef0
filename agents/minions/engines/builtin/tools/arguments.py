"""What tools take: fields with a cap each, read strictly."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

PathText = Annotated[str, Field(min_length=1, max_length=4_096, description="from the root of the workspace")]
Pattern = Annotated[str, Field(min_length=1, max_length=1_000)]
Line = Annotated[int, Field(ge=1, le=10_000_000)]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

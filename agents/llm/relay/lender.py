"""Lends models to programs in sandboxes: which engine asks whom, on which protocol."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agents.domain.errors import NoAnswer
from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import ROLES, Model
from agents.domain.workflow.roles import EngineName
from agents.llm.client import Notices
from agents.llm.relay.lending import Lent, Prices
from agents.llm.relay.server import ModelServer
from agents.llm.relay.wires import AnthropicMessages, GeminiContent, OpenAiResponses, Wire
from agents.ports import CallBook, Loan

WIRES: Mapping[EngineName, Wire] = {
    EngineName.CLAUDE: AnthropicMessages(),
    EngineName.CODEX: OpenAiResponses(),
    EngineName.GEMINI: GeminiContent(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lendings:
    """Implements agents.ports.Lender for one job. `models`: what each engine is given, where its role names none."""

    prices: Prices
    calls: CallBook
    job: str
    models: Mapping[EngineName, Model]
    notices: Notices = field(default_factory=Notices)

    def lend(self, loan: Loan) -> "ModelServer":
        found = self.models.get(loan.engine)
        if found is None:
            raise NoAnswer(
                f"{loan.engine} has no model to ask",
                next_step=f"Put its provider's key into the environment, or write `engines: {loan.engine}: model:`.",
                error=ErrorClass.RESOURCE,
            )
        wire = WIRES[loan.engine]
        name = loan.model.removeprefix(f"{wire.provider}/") if loan.model not in ROLES else ""
        model = replace(found, name=f"{wire.provider}/{name}") if name else found
        lent = Lent(
            prices=self.prices,
            book=self.calls,
            job=self.job,
            notices=self.notices,
            loan=loan,
            wire=wire,
            asked=model,
        )
        return ModelServer(lent)

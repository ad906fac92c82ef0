"""The table of tools that a minion has."""

from collections.abc import Collection, Sequence

from agents.domain.knowledge.document import Note
from agents.domain.workflow.custom_tools import CustomTool
from agents.minions.engines.builtin.executor import Spec
from agents.minions.engines.builtin.tools import commands, files, knowledge_search, own, people, strays

# In the order in which models are offered them. It stays: a provider finds the beginning of a talk that it knows.
TOOLS: dict[str, Spec] = {
    spec.name: spec
    for spec in (
        files.read_file,
        files.write_file,
        files.edit_file,
        files.list_directory,
        files.glob_files,
        commands.search_files,
        commands.run_command,
        files.list_skills,
        files.use_skill,
        knowledge_search.search_knowledge,
        people.ask_human,
        people.request_scope,
        strays.put_back,
        people.task_complete,
        people.task_blocked,
    )
}


def offer(allowed: Collection[str], notes: Sequence[Note], more: Sequence[CustomTool] = ()) -> dict[str, Spec]:
    """What nobody could use costs no tokens: without notes there is no search for them. `more`: a role's own."""
    searches = knowledge_search.search_knowledge.name
    ours = {name: spec for name, spec in TOOLS.items() if name in allowed and (notes or name != searches)}
    return ours | {tool.name: own.make_spec(tool) for tool in more}

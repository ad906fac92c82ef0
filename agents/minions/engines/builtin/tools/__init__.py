"""The table of tools that a minion has."""

from agents.minions.engines.builtin.executor import Spec
from agents.minions.engines.builtin.tools import commands, files, people

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
        people.ask_human,
        people.request_scope,
        people.task_complete,
        people.task_blocked,
    )
}

"""Commands that were almost typed: they are offered back, and never carried out by themselves."""

import re
from collections.abc import Callable

# The first words of commands, which people mistype.
VERBS = (
    *("help", "status", "tasks", "list", "queue", "stop", "pause", "halt", "resume", "continue", "cancel", "abort"),
    *("snooze", "backburner", "retry", "approve", "approved", "cost", "costs", "mute", "unmute", "inbox"),
)
# What commands are called in other languages.
ELSEWHERE = {
    **dict.fromkeys(("hilfe", "aide", "ayuda", "aiuto"), "help"),
    **dict.fromkeys(("anhalten", "stoppen", "arrête", "arrêter", "parar", "ferma"), "stop"),
    **dict.fromkeys(("abbrechen", "annuler", "annule", "cancelar", "annulla"), "cancel"),
    **dict.fromkeys(("fortsetzen", "weitermachen", "reprendre", "continuer", "reanudar"), "resume"),
    **dict.fromkeys(("nochmal", "wiederholen", "réessayer", "réessaie", "reintentar"), "retry"),
    **dict.fromkeys(("genehmigen", "freigeben", "approuver", "aprobar", "approva"), "approve"),
    **dict.fromkeys(("kosten", "coût", "coûts", "costo"), "cost"),
    **dict.fromkeys(("aufgaben", "tâches", "tareas"), "tasks"),
    **dict.fromkeys(("stoppe", "halte", "停止", "ストップ"), "stop"),
    **dict.fromkeys(("取消", "キャンセル"), "cancel"),
    **dict.fromkeys(("帮助", "ヘルプ"), "help"),
}
SHORTEST = 4  # letters: of shorter words too many are near
LONG = 7  # of which two letters may be wrong
MOST_WORDS = 5
_FIRST = re.compile(r"(T-\d+)[:,]?\s+(.+)")  # the task before the command
_TASK = re.compile(r"(?<![\w-])(?:(?:task|ticket)\s+(?:no\.?\s*)?#?|[tT][\s#–—_]?|#)(\d{1,9})(?![\w-])", re.IGNORECASE)


def nearest_command(said: str, is_command: Callable[[str], bool]) -> str:
    """The command that a short message almost is; empty where it is none, or could be two."""
    words = said.split()
    if not 0 < len(words) <= MOST_WORDS:
        return ""
    rest = _TASK.sub(lambda found: f"T-{int(found[1])}", " ".join(words))
    if turned := _FIRST.fullmatch(rest):
        rest = f"{turned[2]} {turned[1]}"
    first, _, tail = rest.partition(" ")
    word = first.casefold()
    near = [ELSEWHERE.get(word, word)] if word in {*VERBS, *ELSEWHERE} else sorted(_alike(word))
    found = [made for verb in near if is_command(made := f"{verb.casefold()} {tail}".strip()) and made != said]
    return found[0] if len(found) == 1 else ""


def _alike(word: str) -> set[str]:
    if len(word) < SHORTEST:
        return set()
    most = 2 if len(word) >= LONG else 1
    near = {verb: slips(word, verb) for verb in VERBS if abs(len(verb) - len(word)) <= most}
    least = min(near.values(), default=most + 1)
    return {verb for verb, count in near.items() if count == least} if least <= most else set()


def slips(one: str, other: str) -> int:
    """Letters that are wrong, missing, too many or swapped with their neighbour."""
    before, row = list[int](), list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        last, before, row = before, row, [at]
        for to, wanted in enumerate(other, start=1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, last[to - 2] + 1)
            row.append(cost)
    return row[-1]

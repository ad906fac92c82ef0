"""What no instruction to a minion needs to say, as patterns of folded text: with one blank, and with none."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

_SHELL = r"(?:/?(?:usr/)?bin/)?(?:env ?)?(?:ba|z|da|k|fi|c)?sh"
_FETCHES = (
    r"curl|wget|aria2c|(?<![a-z])i(?:wr|rm)(?![a-z])|invoke-?webrequest|invoke-?restmethod|downloadstring|downloadfile"
    r"|start-?bitstransfer"
)
_RUNS = rf"{_SHELL}|python[23]?|perl|ruby|node|php|iex|invoke-?expression|pwsh|powershell"
_CODE = r"(?:python[23]?|perl|ruby|node|php|deno|lua)"
_VERDICT = r"(?:approved?|proceed|pass(?:ed)?|lgtm|accept(?:ed)?|ok)"
_SAY = r"repl[yi]|answer|return|say|respond|output"
_ALL = (
    r"(?:(?:all|any|every|the|your|of|these|those|previous|prior|above|earlier|other|system|former|preceding) ?){1,5}"
)
_JUDGES = r"(?:reviewers?|judges?|critics?|evaluators?|graders?|custodiet|scope guard)"

_TABLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "a command that deletes without asking",
        (
            r"(?<![a-z])rm ?(?:-[a-z]+ ?)*-[a-z]*r[a-z]*(?![a-z]{3})(?= |$|/|\.|f|[*;&|)])",
            r"(?<![a-z])rm ?-(?:rf|fr|r-f|f-r)",
            r"(?<![a-z])rm(?![a-z])[^.;|]{1,60}(?<![a-z])-(?:rf|fr)(?![a-z])",
            r"(?<![a-z])rm ?--(?:recursive|force)",
            r"[?*][^ ]{0,20} -(?:rf|fr)(?![a-z])",
            r"find [^;|]{0,120}-(?:delete|exec(?:dir)? ?(?:/bin/)?rm)|xargs ?(?:-[a-z0-9]+ ?)*rm(?![a-z])",
            r"(?<![a-z])mkfs|(?<![a-z])wipefs|(?<![a-z])shred -|(?<![a-z])dd ?(?:if|of)=|:\(\) ?\{|git clean -[a-z]*f",
            r"rmtree|rimraf|remove-?item[^;|]{0,60}-(?:recurse|force)|(?<![a-z])(?:del|rd|rmdir|erase) ?/[sq](?![a-z])",
            r"fs\.rm(?:sync|dirsync)? ?\([^)]{0,80}recursive",
        ),
    ),
    (
        "a program that is fetched and run",
        (
            rf"(?:{_FETCHES}|(?<![a-z])fetch)[^;]{{0,300}}\| ?(?:sudo ?)?(?:{_RUNS})(?![a-z])",
            rf"(?:{_FETCHES})[^;&]{{0,300}}(?:;|&&) ?(?:sudo ?)?(?:{_SHELL}(?![a-z])|chmod|\./|source )",
            rf"(?<![a-z])(?:{_SHELL}|source|\.|exec)(?: ?-c ?| ?<++ ?| ?\$?\(++ ?)++(?:{_FETCHES})(?![a-z])",
            rf"(?<![a-z])(?:eval|iex|invoke-?expression) ?[$( ]*(?:{_FETCHES})(?![a-z])",
            r"net\.webclient|certutil[^;]{0,40}-urlcache|bitsadmin|mshta ?(?:http|javascript)|regsvr32",
            r"(?<![a-z])(?:nc|ncat|netcat) ?-[a-z]*e|/dev/(?:tcp|udp)/",
            r"(?:urlopen|urlretrieve|requests\.get) ?\([^)]{0,120}\)[^;]{0,60}exec|exec ?\([^)]{0,60}urlopen",
            r"(?:pip[23]?|npm|pnpm|yarn|gem|cargo|go) ?(?:install|add|i|get) ?(?:-[a-z-]+ ?)*(?:git\+|https?:)",
        ),
    ),
    (
        "code that is made at run time",
        (
            r"(?:(?<![a-z_.])|builtins ?\.)(?:eval|exec|compile|execfile) ?\(|(?<![a-z])eval(?: [$(]| ?\$)",
            r"new ?function ?\(",
            r"os\.(?:system|exec[lv]p?e?|spawn[lv]p?e?) ?\(|popen ?\(|shell ?= ?true|child_?process",
            rf"(?<![a-z]){_CODE} (?:-[a-z]+ )*-[a-z]*[cer](?= )|(?<![a-z]){_CODE}-[ce](?=[^a-z])",
            rf"(?<![a-z])(?:{_SHELL}|{_CODE}) ?-? ?<<|(?<![a-z]){_SHELL} ?-c ",
            rf"\| ?(?:sudo ?)?(?:{_SHELL}|iex|invoke-?expression)(?![a-z.])(?! ?\|)(?= |$|;|-|\))",
            r"base64 ?(?:-d|--decode|-di)(?![a-z])|frombase64string|xxd ?-r|openssl ?enc ?-d",
            r"(?:powershell|pwsh)[^;|]{0,80} ?-e(?:nc?|c)?[a-z]* ?[a-z0-9+/=]{12}",
            r"chr ?\( ?\d+ ?\)(?: ?[+.,&] ?chr ?\( ?\d+ ?\)){2}|fromcharcode ?\(|(?<![a-z])vm ?\. ?run ?in",
            r"(?<![a-z])deno ?eval(?![a-z])|osascript ?-e|getruntime ?\( ?\) ?\. ?exec",
            r"(?<![a-z])iex(?![a-z])|invoke-?expression|source ?/dev/stdin|marshal\.loads|pickle\.loads",
        ),
    ),
    (
        "code that is imported at run time",
        (
            r"__ ?import ?__|import_module|exec_module|(?<![a-z])runpy(?![a-z])",
            r"importlib ?\.(?:import|util|machinery|reload|__)|require ?\( ?(?:child_?)?process",
            r"__ ?builtins ?__|(?<![a-z])globals ?\( ?\) ?\[|getattr ?\( ?(?:__|builtins|os|sys)",
        ),
    ),
    (
        "a path of the system or of somebody's keys",
        (
            r"(?<![a-z0-9])/etc(?:/|$| |;)|(?<![a-z0-9./])etc/(?:passwd|shadow|sudoers|ssh|hosts)",
            r"[~}e]/\.(?:ssh|aws|gnupg|netrc|kube|docker|npmrc|pypirc)|/\.(?:ssh|aws|gnupg)(?![a-z])",
            r"[~}e]/\.(?:bash|zsh|profile)|authorized_keys|(?<![a-z])crontab ?-|userprofile%?[\\/]?\.(?:ssh|aws)",
            r"(?<![a-z])/root/|id_(?:rsa|ed25519|ecdsa)|/proc/(?:self|\d+|\*)/|docker\.sock",
        ),
    ),
    (
        "the name of a secret",
        (
            r"(?:github|gitlab|gh|npm|openai|anthropic|aws|pypi|bot|app|admin|deploy|azure|google|gemini|stripe|hf"
            r"|huggingface|docker|registry|vault|openrouter|overlord)_\w{0,20}?(?:token|api_?key|secret|access_?key|password)",
            r"(?:\$\{?|environ\W{0,3}(?:get)?\W{0,3}|getenv\W{1,3}|process\.env\.|\$env:)\w{0,30}"
            r"(?:token|secret|api_?key|password)",
            r"_authtoken|(?<![a-z])printenv|(?<![a-z])env ?(?:[|>]|-0)",
            r"(?:print|dumps|dict|str|repr) ?\( ?(?:dict ?\( ?)?os\.environ ?\)",
        ),
    ),
    (
        "an order to whoever judges",
        (
            rf"(?:always|just|must|only|simply) ?(?:{_SAY}|write)e?s? ?(?:with ?)?{_VERDICT}(?![a-z])",
            rf"(?:you|{_JUDGES}) ?(?:must|should|shall|have to|will|need to) ?(?:always ?)?(?:approve|accept|proceed)"
            r"(?![a-z])",
            rf"{_JUDGES} ?[:,] ?(?:please ?)?(?:always ?)?"
            rf"(?:{_SAY}|set|give|approve|accept|proceed|pass)(?!s|d|ed|es)",
            r"when ?(?:you ?|asked ?to ?)?(?:review|judg|evaluat|grad)[a-z]* ?(?:this|it)? ?,? ?(?:please ?)?"
            r"(?:approve|accept|(?:set|say|answer|return|reply|give)[^.]{0,24}(?:approve|proceed|lgtm|accept))",
            rf"(?:ignore|disregard|forget|override) ?{_ALL}(?:instruction|prompt|guideline|direction|order)",
            r"(?:ignore|disregard|forget) ?(?:all ?|any ?|every ?)?(?:previous|prior|above|earlier|former) ?rules?",
            r"(?:disregard|forget|ignore) ?(?:all|everything|anything|whatever|what)[^.]{0,24}"
            r"(?:told|above|before|earlier|said)",
            r"(?:instructions?|prompts?|guidelines?) ?above ?(?:do not|no longer|are void)",
            rf"(?:do ?not|dont|never) ?(?:tell|inform|warn|mention[^.]{{0,20}}to) ?(?:the ?|any ?|a ?)?"
            rf"(?:{_JUDGES}|human|operator|overlord)",
            r"you ?are ?now ?(?:the ?|an? ?|in ?)?(?:root|admin|operator|system|developer|dan|unrestricted|free)",
        ),
    ),
    (
        "instructions that stand elsewhere",
        (
            r"!\[[^\]]{0,80}\] ?\( ?(?:https?:)?//[^)]{0,200}(?:\$|\{|<|%7b)|\]\( ?(?:javascript|data|vbscript):",
            r"https?://[^ )]{1,200}\)? ?(?:and |, |then ){1,2}(?:follow|obey|do what|do as|execute|run)",
            r"(?:follow|obey|load|do) (?:the |all |whatever |what ){0,3}(?:instructions?|steps|rules|it says)? ?"
            r"(?:at|from|in|on|under) https?://",
        ),
    ),
)
# As text: compiled when something is looked through, not by whoever loads this.
_FORBIDDEN = tuple((what, "|".join(f"(?:{each})" for each in patterns)) for what, patterns in _TABLE)
WIDE = 1_200  # characters that are looked at together: whoever writes the text must not choose how long that takes
_FETCHED = rf"(?:{_FETCHES})(?![a-z])"
_FILE = r"(?<![\w.-])([\w-]{1,40}\.?(?:sh|py|ps1|bin|exe|pl|js|rb|run)?)(?![\w.])"
_RUN = rf"(?:(?<![a-z.])(?:{_RUNS}|source|chmod ?(?:\+x|a\+x|7\d\d))|(?:^|[ ;])\.) ?(?=[\w./-])"
_FOLDERS = r"\./|/(?:\S{0,60}/)?"
FETCH_TO_NAME, NAME_TO_RUN = 300, 200  # characters


def matches_in(folded: str) -> Iterator[str]:
    return (
        what
        for what, pattern in _FORBIDDEN
        if any(_begins_in(re.compile(pattern), folded, at) for at in _parts(folded))
    )


def _parts(folded: str) -> range:
    """Where each part begins; they overlap by half."""
    return range(0, max(1, len(folded) - WIDE // 2), WIDE // 2)


def _begins_in(pattern: re.Pattern[str], folded: str, at: int) -> bool:
    """What begins in a later half is found there, with what follows it."""
    found = pattern.search(folded, at, at + WIDE)
    return found is not None and (found.start() < at + WIDE // 2 or at + WIDE >= len(folded))


def fetches_and_runs(folded: str) -> int | None:
    """Where a file is fetched that is run further on; None: nowhere."""
    fetched = [(found.end(), found.start()) for found in re.finditer(_FETCHED, folded)]
    named = [(found.end(), found.start(), found[1]) for found in re.finditer(_FILE, folded)] if fetched else []
    starts = list[int]()
    for run in re.finditer(_RUN, folded) if named else ():
        near = named[bisect_left(named, (run.start() - NAME_TO_RUN,)) : bisect_right(named, (run.start() + 1,))]
        for _, name_at, name in near:
            first = bisect_left(fetched, (name_at - FETCH_TO_NAME,))
            if first < len(fetched) and fetched[first][0] <= name_at and _is_run(folded, run.end(), name):
                starts.append(fetched[first][1])
    return min(starts, default=None)


def _is_run(folded: str, at: int, name: str) -> bool:
    """Whether this very file stands there, in whichever folder."""
    folders = re.compile(_FOLDERS).match(folded, at)
    places = [at, *(place + 1 for place in range(at, folders.end()) if folded[place] == "/")] if folders else [at]
    return any(folded.startswith(name, each) and not _is_word(folded[each + len(name) :][:1]) for each in places)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"

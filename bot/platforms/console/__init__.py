"""The console: web pages of our own, on which people talk with the bot and decide."""

from bot.config.platforms import IdForm, PlatformSpec
from bot.platforms.console.settings import ConsoleSettings

PLATFORM = PlatformSpec(
    name="console",
    title="Console",
    settings=ConsoleSettings,
    variables={
        "OVERLORD_CONSOLE_HOST": "host",
        "OVERLORD_CONSOLE_PORT": "port",
        "OVERLORD_CONSOLE_CHANNELS": "channels",
        "OVERLORD_CONSOLE_NAMES": "names",
        "OVERLORD_CONSOLE_PROXIES": "proxies",
    },
    flags={"--host": "host", "--port": "port"},
    account=IdForm(pattern=r"console:[A-Za-z0-9][A-Za-z0-9._-]{0,63}", example="console:ana (console login)"),
    possessive="the console's",
    connect="bot.platforms.console.platform:connect",
    serve="bot.platforms.console.platform:serve",
    checks="bot.platforms.console.checks:checks",
    checks_ask_nobody=True,
)

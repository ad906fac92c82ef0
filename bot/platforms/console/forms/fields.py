"""The text fields of a form that was sent; nothing here takes files."""

from starlette.requests import Request

from bot.platforms.console.deliveries import Form


async def fields(request: Request) -> Form:
    """The text fields of a form; nothing here takes files."""
    return dict(await all_fields(request))


async def all_fields(request: Request, most: int = 20) -> list[tuple[str, str]]:
    """In their order; a name may come more than once."""
    async with request.form(max_files=0, max_fields=most) as form:
        return [(name, value) for name, value in form.multi_items() if isinstance(value, str)]

"""What templates are given: words of cards as the console shows them."""

from bot.platforms.console.rendering import code


def test_what_stands_between_backticks_is_code_and_nothing_in_it_is_markup() -> None:
    assert code("say `help <b>` now") == "say <code>help &lt;b&gt;</code> now"
    for plain in ("a ` alone", "``", "`over\nlines`"):
        assert code(plain) == plain
    assert "<script>" not in code("`<script>`alert(1)`</script>`")

"""Helpers that the tests of access share with others."""

from pathlib import Path

from playwright.async_api import Page

JUDGE = (Path(__file__).parent / "judge.js").read_text()


async def ask_judge(page: Page, question: str) -> list[str]:
    await page.evaluate(JUDGE)
    complaints: list[str] = await page.evaluate(f"judge.{question}()")
    return complaints

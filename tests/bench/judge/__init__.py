"""How often the judge of finished work is wrong: a corpus made at run time, judged in the real sandbox, and counted."""

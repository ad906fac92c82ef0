"""Supervisors: they look across finished work at natural breakpoints, and ask for corrections."""

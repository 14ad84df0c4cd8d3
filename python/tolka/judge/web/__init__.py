"""The judging page: server-rendered, quick, usable by keyboard and on a phone, closed to everyone not invited."""

from tolka.judge.web.app import create_app

__all__ = ["create_app"]

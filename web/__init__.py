"""The web site: static pages from the rules, the records and ``docs/``. ``python -m web`` builds it.

``pages`` has a module for each kind of page, ``output`` one for each file that is no page. Sphinx renders ``docs/`` and
fills in the templates. Nothing in vcompat imports this package.
"""

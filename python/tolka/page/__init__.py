"""Pages and drawings that need nothing else: the frame, its style, and the pieces that pages of several rooms share.

Drawings are in `tolka.page.svg`.
"""

from tolka.page.frame import chip, chips, document, made_by, page_style, section, table, tiles

__all__ = ["chip", "chips", "document", "made_by", "page_style", "section", "table", "tiles"]

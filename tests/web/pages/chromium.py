"""What tests in a real browser share."""

import re

# Every piece of text on the page against the nearest background behind it (WCAG 2, 1.4.3).
CONTRAST = """() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest(".hidden, .skip, script")) continue;
    let back = element, colour = [0, 0, 0, 0];
    while (back && colour[3] === 0) { colour = parse(getComputedStyle(back).backgroundColor); back = back.parentElement; }
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(ink), light(colour)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), node.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def come_in(page):
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile("start|Start|Open")).click()


def press(page, key):
    with page.expect_navigation():
        page.keyboard.press(key)


def least_contrast(page):
    return min(tuple(one) for one in page.evaluate(CONTRAST))


def task_of(page):
    return page.locator("[name=task]").first.input_value()


class Opener:
    """Opens pages for people, who come in; complains of anything the browser complains of."""

    def __init__(self, browser, links):
        self.browser = browser
        self.links = links
        self.contexts = []
        self.complaints = []

    def __call__(self, name, **options):
        context = self.browser.new_context(**options)
        context.set_default_timeout(60_000)
        self.contexts.append(context)
        page = context.new_page()
        # What was refused on purpose is told by the browser, too.
        page.on("console", lambda message: self._told(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self._told(str(error)))
        page.goto(self.links[name])
        return page

    def _told(self, text):
        if "status of 409" not in text:
            self.complaints.append(text)

    def close(self):
        for context in self.contexts:
            context.close()
        assert not self.complaints

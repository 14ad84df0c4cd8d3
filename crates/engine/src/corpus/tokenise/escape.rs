//! The eight escapes of Moses, for characters that mean something in phrase tables, grammars and XML input.

/// What `byte` is written as, if it is one of the eight.
#[inline]
fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'|' => "&#124;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'\'' => "&apos;",
        b'"' => "&quot;",
        b'[' => "&#91;",
        b']' => "&#93;",
        _ => return None,
    })
}

/// Appends `token` to `out`, escaped.
pub fn push_escaped(token: &str, out: &mut String) {
    let mut copied = 0;
    for (at, byte) in token.bytes().enumerate() {
        if let Some(entity) = entity(byte) {
            out.push_str(&token[copied..at]);
            out.push_str(entity);
            copied = at + 1;
        }
    }
    out.push_str(&token[copied..]);
}

/// The character an entity at the start of `text` stands for, and the entity's length. Old Moses wrote `&bar;`,
/// `&bra;` and `&ket;`, which are understood too.
fn entity_at(text: &str) -> Option<(char, usize)> {
    const ENTITIES: [(&str, char); 11] = [
        ("&amp;", '&'),
        ("&#124;", '|'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&apos;", '\''),
        ("&quot;", '"'),
        ("&#91;", '['),
        ("&#93;", ']'),
        ("&bar;", '|'),
        ("&bra;", '['),
        ("&ket;", ']'),
    ];
    ENTITIES.iter().find(|(entity, _)| text.starts_with(entity)).map(|&(entity, c)| (c, entity.len()))
}

/// Appends `token` to `out` with each entity replaced by its character, once, from left to right.
pub fn push_unescaped(token: &str, out: &mut String) {
    let mut rest = token;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (c, length) = entity_at(&rest[at..]).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["", "a", "|||", "[X]", "<b>&amp;</b>", "it's \"so\"", "&", "&;", "&amp;lt;", "é&ü"] {
            let (mut escaped, mut back) = (String::new(), String::new());
            push_escaped(text, &mut escaped);
            assert!(!escaped.contains(['|', '[', ']', '<', '>', '\'', '"']));
            push_unescaped(&escaped, &mut back);
            assert_eq!(back, text);
        }
        let mut old = String::new();
        push_unescaped("&bra;X&ket;&bar;&amp;lt;&nbsp;", &mut old);
        assert_eq!(old, "[X]|&lt;&nbsp;");
    }
}

//! Writing systems: which script a letter belongs to, and which scripts a language is written in.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
pub use unicode_script::Script;
use unicode_script::UnicodeScript;

/// The script of a letter, or of a mark that only one script writes, such as the vowel signs of Devanagari; nothing for
/// other characters, nor for letters and marks of several scripts.
pub fn letter_script(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphabetic().then_some(Script::Latin);
    }
    match c {
        // The two blocks that most text is made of need no search through the tables.
        'À'..='ɏ' => return (c != '×' && c != '÷').then_some(Script::Latin),
        'А'..='я' => return Some(Script::Cyrillic),
        _ => {}
    }
    if !matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark) {
        return None;
    }
    match c.script() {
        Script::Common | Script::Inherited | Script::Unknown => None,
        script => Some(script),
    }
}

/// Whether a character is a letter, in the sense of Unicode's general category.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { c.general_category_group() == GeneralCategoryGroup::Letter }
}

/// Whether text in this script is written without spaces between words.
pub fn is_unspaced(script: Script) -> bool {
    use Script::*;
    matches!(script, Han | Hiragana | Katakana | Bopomofo | Thai | Lao | Khmer | Myanmar | Tibetan)
}

/// Whether a language written in these scripts puts no spaces between words. Korean does, beside its Han characters.
pub fn writes_without_spaces(scripts: &[Script]) -> bool {
    scripts.iter().any(|&script| is_unspaced(script)) && !scripts.contains(&Script::Hangul)
}

/// The scripts a language is written in; nothing if the language is not in the table.
///
/// Languages are named by ISO 639-1 or 639-3 codes. A script subtag, as in `sr-Latn` or `srp_Cyrl`, overrules the
/// table and needs no entry in it; region subtags, as in `pt-BR` or `zh_TW`, are ignored.
pub fn scripts_of(language: &str) -> Option<Vec<Script>> {
    let mut subtags = language.split(['-', '_']);
    let code = subtags.next().unwrap_or_default().to_ascii_lowercase();
    for subtag in subtags {
        if subtag.len() == 4 && subtag.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return scripts_of_subtag(subtag);
        }
    }
    let listed = LANGUAGES.iter().find(|(codes, _)| codes.split(' ').any(|known| known == code))?;
    Some(listed.1.to_vec())
}

fn scripts_of_subtag(subtag: &str) -> Option<Vec<Script>> {
    use Script::*;
    let title = subtag[..1].to_ascii_uppercase() + &subtag[1..].to_ascii_lowercase();
    match title.as_str() {
        // ISO 15924 has codes for mixtures and variants that Unicode does not count as scripts.
        "Hans" | "Hant" => Some(vec![Han]),
        "Jpan" => Some(vec![Han, Hiragana, Katakana]),
        "Kore" => Some(vec![Hangul, Han]),
        title => Script::from_short_name(title)
            .filter(|script| !matches!(script, Common | Inherited | Unknown))
            .map(|script| vec![script]),
    }
}

use Script as S;

/// Languages by the scripts that their text is mostly made of.
const LANGUAGES: &[(&str, &[Script])] = &[
    (
        "af afr sq sqi eu eus ca cat hr hrv cs ces da dan nl nld en eng eo epo et est fo fao fi fin fr fra fy fry \
         gl glg de deu nds gsw gn grn ht hat hu hun is isl ig ibo id ind ga gle it ita jv jav rw kin rn run la lat \
         lv lav lt lit lb ltz mg mlg ms msa zsm mt mlt mi mri no nor nb nob nn nno oc oci om orm pl pol pt por qu que \
         quy ro ron rm roh gd gla st sot tn tsn nso sn sna sk slk sl slv so som es spa su sun sw swa swh sv swe tl tgl \
         fil ts tso tr tur tk tuk uz uzn vi vie cy cym wo wol xh xho yo yor zu zul ss ssw ve ven nr nbl ln lin lg lug \
         kg kon ny nya ee ewe ak aka tw twi bm bam bbj fon mos hau ha ff ful luo kam umb sc srd co cos br bre kw cor \
         se sme kl kal haw sm smo to ton fj fij ty tah pap ast an arg scn lmo vec szl hsb dsb csb ltg ceb ilo war pam \
         hil bug ban min pcm tpi bi bis ia ina ie io ido vo vol ay aym nah nv nav lij fur lld kri sg sag tum bem",
        &[S::Latin],
    ),
    (
        "be bel bg bul kk kaz ky kir mk mkd mn mon khk ru rus tg tgk uk ukr tt tat ba bak cv chv os oss ab abk ce che \
      av ava sah tyv udm kv kom koi myv mdf mhr mrj chm bxr xal alt rue cu chu",
        &[S::Cyrillic],
    ),
    ("sr srp bs bos sh hbs", &[S::Cyrillic, S::Latin]),
    ("az aze azj", &[S::Latin, S::Cyrillic]),
    ("el ell grc", &[S::Greek]),
    ("hy hye hyw", &[S::Armenian]),
    ("ka kat xmf", &[S::Georgian]),
    ("he heb yi yid lad", &[S::Hebrew]),
    (
        "ar ara arb arz apc ary ajp acm fa fas pes prs ur urd ps pus pbt ug uig sd snd ckb azb skr ks kas pnb",
        &[S::Arabic],
    ),
    ("crh", &[S::Latin, S::Cyrillic]),
    ("ku kur kmr", &[S::Latin, S::Arabic]),
    ("dv div", &[S::Thaana]),
    ("syr arc aii", &[S::Syriac]),
    ("am amh ti tir gez tig", &[S::Ethiopic]),
    ("hi hin mr mar ne nep npi sa san bho mai kok gom awa mag hne brx doi new", &[S::Devanagari]),
    ("bn ben as asm bpy", &[S::Bengali]),
    ("mni", &[S::Bengali, S::Meetei_Mayek]),
    ("pa pan", &[S::Gurmukhi]),
    ("gu guj", &[S::Gujarati]),
    ("or ori ory", &[S::Oriya]),
    ("ta tam", &[S::Tamil]),
    ("te tel", &[S::Telugu]),
    ("kn kan tcy", &[S::Kannada]),
    ("ml mal", &[S::Malayalam]),
    ("si sin", &[S::Sinhala]),
    ("sat", &[S::Ol_Chiki]),
    ("th tha", &[S::Thai]),
    ("lo lao", &[S::Lao]),
    ("km khm", &[S::Khmer]),
    ("my mya", &[S::Myanmar]),
    ("shn mnw", &[S::Myanmar]),
    ("bo bod dz dzo", &[S::Tibetan]),
    ("zh zho cmn yue wuu lzh nan", &[S::Han]),
    ("ja jpn", &[S::Han, S::Hiragana, S::Katakana]),
    ("ko kor", &[S::Hangul, S::Han]),
    ("iu iku", &[S::Canadian_Aboriginal, S::Latin]),
    ("cr cre oj oji", &[S::Canadian_Aboriginal, S::Latin]),
    ("chr", &[S::Cherokee]),
    ("zgh tzm ber", &[S::Tifinagh]),
    ("kab taq", &[S::Latin, S::Tifinagh]),
    ("nqo", &[S::Nko]),
    ("got", &[S::Gothic]),
    ("cop", &[S::Coptic]),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn knows_languages_by_code_and_by_subtag() {
        assert_eq!(scripts_of("de"), Some(vec![Script::Latin]));
        assert_eq!(scripts_of("PT-br"), Some(vec![Script::Latin]));
        assert_eq!(scripts_of("zh_TW"), Some(vec![Script::Han]));
        assert_eq!(scripts_of("srp_Latn"), Some(vec![Script::Latin]));
        assert_eq!(scripts_of("qaa-Cyrl"), Some(vec![Script::Cyrillic]));
        assert_eq!(scripts_of("zh-Hans-CN"), Some(vec![Script::Han]));
        assert_eq!(scripts_of("xx"), None);
        assert_eq!(scripts_of(""), None);
        assert_eq!(scripts_of("de-Zyyy"), None);
    }

    #[test]
    fn lists_each_language_once() {
        let mut seen = HashSet::new();
        for code in LANGUAGES.iter().flat_map(|(codes, _)| codes.split(' ')) {
            assert!(matches!(code.len(), 2 | 3) && seen.insert(code), "{code:?} is malformed or listed twice");
        }
    }

    #[test]
    fn quick_answers_are_those_of_the_tables() {
        for c in '\0'..='\u{52f}' {
            let letter = c.general_category_group() == GeneralCategoryGroup::Letter;
            let mark = c.general_category_group() == GeneralCategoryGroup::Mark;
            let script = Some(c.script()).filter(|script| !matches!(script, Script::Common | Script::Inherited));
            assert_eq!(letter_script(c), script.filter(|_| letter || mark), "{c:?}");
            assert_eq!(is_letter(c), letter, "{c:?}");
        }
    }

    #[test]
    fn letters_have_scripts_and_other_characters_none() {
        assert_eq!(letter_script('ж'), Some(Script::Cyrillic));
        assert_eq!(letter_script('漢'), Some(Script::Han));
        assert_eq!(letter_script('ー'), None);
        assert_eq!(letter_script('7'), None);
        assert_eq!(letter_script('\u{301}'), None);
        assert_eq!(letter_script('\u{93e}'), Some(Script::Devanagari));
        assert!(is_letter('ー') && is_letter('ß') && !is_letter('٣'));
    }
}

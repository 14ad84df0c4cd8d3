//! Abbreviations that keep their period.
//!
//! A list holds words after which a sentence goes on: titles before names, references before numbers. Words that often
//! end a sentence (etc., Inc., usw.) are left out, since before a lower-case word any word keeps its period anyway;
//! single capital letters and words with an inner period (z.B., U.S.) keep theirs by rule. Case counts.

use hashbrown::HashSet;

use super::language::Language;

/// Words that keep their period wherever they stand, and words that keep it before a digit.
pub fn of(language: Language) -> (HashSet<String>, HashSet<String>) {
    let (always, before_number) = match language {
        Language::English => (ENGLISH, ENGLISH_BEFORE_NUMBER),
        Language::German => (GERMAN, GERMAN_BEFORE_NUMBER),
        Language::French => (FRENCH, FRENCH_BEFORE_NUMBER),
        Language::Spanish => (SPANISH, SPANISH_BEFORE_NUMBER),
        Language::Italian => (ITALIAN, ITALIAN_BEFORE_NUMBER),
        Language::Czech => (CZECH, CZECH_BEFORE_NUMBER),
        Language::Hindi => (HINDI, HINDI_BEFORE_NUMBER),
        Language::Catalan => (CATALAN, SPANISH_BEFORE_NUMBER),
        Language::Other => (OTHER, OTHER_BEFORE_NUMBER),
    };
    let set = |words: &str| words.split_whitespace().map(str::to_owned).collect();
    (set(always), set(before_number))
}

const ENGLISH: &str = "
    Mr Mrs Ms Mx Messrs Mlle Mme MM Dr Drs DR MR MRS MS Prof Profs Rev Revd Hon Rt Esq Msgr Fr Br Sr St Sts Mt Ft
    Gen Maj Col Lt Capt Cpt Cmdr Cdr Comdr Cpl Sgt Pvt Pte Pfc Sfc Adm Brig Ens Wg
    Gov Sen Sens Rep Reps Pres Amb Supt Insp Det Const Asst Surg Treas
    Bros Bldg Ave Blvd Dept Univ Hosp
    v vs viz cf ca approx ibid eg ie";
const ENGLISH_BEFORE_NUMBER: &str = "
    No Nos no nos Nr Art Arts art arts Sec Secs sec Ch Chs ch Chap Vol Vols vol vols Fig Figs fig figs Eq Eqs eq
    p pp P PP para paras Para Paras Reg Regs Tab Ver ver Ps Gen Ex Lev Deut
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec";

const GERMAN: &str = "
    Dr Drs Prof Hr Hrn Fr Frl Dipl Ing Mag Lic Hon Dir Präs Min Gen Oberst Hptm Lt Kpt
    St Skt Mr Mrs Ms Mme Mlle MM
    bzw bspw ca vgl evtl ggf ggfs inkl exkl einschl sog allg insb insbes bes resp zzgl zzt gem lt eigtl urspr ehem gegr
    geb verh gest mind max min ungef vorm nachm jew hl Hl kath ev
    Mio Mrd Tsd Bsp Tel Bhf Hbf Ges Abt Abb Anm Anl Aufl Bd Bde Hg Hrsg Jh Jhd Jhdt Kap Kfm Ktr Kto Red Reg Ser Str Verf
    Verl Wiss Ztr Zi
    Jan Feb Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez
    I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI
    i ii iii iv v vi vii viii ix x";
const GERMAN_BEFORE_NUMBER: &str = "
    Nr Nrn nr Art Artt Abs Abschn Ziff Ziffn Lit Bst Rn Rz Rdnr Rdn Randnr S Sp Z Az Vers bzgl
    Fax PLZ ff";

const FRENCH: &str = "
    M MM Mr Mme Mmes Mlle Mlles Mgr Me Mes Dr Drs Pr Prof Ste Sts Stes St Gén Col Cdt Cap Lt Adj Sgt Amb
    av apr env cf Cf vol chap éd éds coll trad ex adj adv dép arr boul bd Bd Av hab";
const FRENCH_BEFORE_NUMBER: &str = "
    No Nos no nos Nº n N art Art arts al réf Réf tél Tél fig Fig p pp P pl ch sect vol Vol t éq par para r d
    janv févr avr juil sept oct nov déc";

const SPANISH: &str = "
    Sr Sra Sres Sras Srta Srtas Sto Sta D Dª Dña Dn Dr Dra Dres Dras Prof Profa Lic Ing Arq Abog Gral Cnel Tte Cap Cmdte
    Sgto Mons Pbro Rvdo Rvda Hno Hna Excmo Excma Ilmo Ilma Ud Uds Vd Vds Fdo Pdte Mr Mrs Ms
    Av Avda Avd Ctra Dpto Depto Gob Admón Cía Hnos Univ Edo Prov
    pág págs Pág vol cap caps fig figs núms ed eds trad ej cf aprox máx mín tel Tel Fax Ref ref vs";
const SPANISH_BEFORE_NUMBER: &str = "No no Nº nº núm Núm n N Nro nro Art Arts art arts p pp ap párr inc C
    ene feb abr may jun jul ago sep sept oct nov dic";

const ITALIAN: &str = "
    Sig Sigg sig sigg Dott Dr Dssa dott Prof Proff prof Ing ing Avv avv Arch arch Geom Rag Rev Don Mons
    On on Onn Sen Gen Col Magg Cap Ten Serg Amm Comm Cav Uff Pres Dir Min Amb Mr Mrs Ms
    S SS V Ss Chiar Egr Gent Spett Ill Prot
    ed cfr Cfr cf vs ca es sez Sez par tel Tel
    num nr";
const ITALIAN_BEFORE_NUMBER: &str = "No n N Nr nn p pp P co c All all rif Rif
    art Art artt Artt pag pagg Pag cap capp fig figg vol voll tab Tab
    gen feb mar apr mag giu lug ago set sett ott nov dic";

const CZECH: &str = "
    Bc BcA Ing Mgr MgA Dr prof Prof doc Doc JUDr MUDr MVDr RNDr PhDr PaedDr PharmDr ThDr RSDr DrSc CSc akad ak gen plk
    mjr kpt por npor ppor pplk rtm čet des sv Sv
    tzv tzn tj např popř příp resp event vč zvl zejm srov viz cca max min mj pozn angl něm fr lat řec čes slov
    mil mld tis obr Obr tab Tab str Str kap odst písm čl roč sb Sb ul nám tř tel Tel č čís ev nar zemř kol
    red vyd nakl sest přel
    I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI";
const CZECH_BEFORE_NUMBER: &str = "s S r R p P pp";

const HINDI: &str = "
    डॉ डा डाॅ प्रो प्रा श्री श्रीमती कु पं स्व सं रु रू कै क्र मी ई पू
    ए बी सी डी ई एफ एच आई जे एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई जेड
    Mr Mrs Ms Dr Prof St Smt Sri Shri";
const HINDI_BEFORE_NUMBER: &str = "No Nos नं सं पृ";

const CATALAN: &str = "
    Sr Sra Srs Sres Srta Dr Dra Drs Prof Excm Excma Il·lm Il·lma Hble Mn Mons St Sta Av Avda Ctra Pl
    pàg pàgs vol cap caps fig núms ed eds tel Tel cf aprox màx mín";

const OTHER: &str = "Mr Mrs Ms Messrs Dr Drs Prof St Rev Hon Gen Col Capt Lt Sgt Maj vs cf ca";
const OTHER_BEFORE_NUMBER: &str = "No Nos no Nr nr Art art p pp vol Vol fig Fig";

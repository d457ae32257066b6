//! Common English words: names that are one of them need more than to be spelt.

use std::sync::OnceLock;

use crate::words;

/// Whether a name is one common English word (also in a form of it: `tests`, `making`), or one ASCII letter. Such a
/// name is recognised in its own case only, and free text may hold it without meaning the thing.
///
/// ```
/// use ken_text::recognise::is_common_word;
/// assert!(is_common_word("Go") && is_common_word("Testing") && is_common_word("R"));
/// assert!(!is_common_word("PostgreSQL") && !is_common_word("Go Fish") && !is_common_word("C++"));
/// ```
pub fn is_common_word(name: &str) -> bool {
    let word = words::plain(name.trim());
    let letters = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    letters && (word.len() == 1 || is_listed(&word) || bases(&word).any(|base| is_listed(&base)))
}

fn is_listed(word: &str) -> bool {
    static SORTED: OnceLock<Vec<&str>> = OnceLock::new();
    let sorted = SORTED.get_or_init(|| WORDS.split_ascii_whitespace().collect());
    sorted.binary_search(&word).is_ok()
}

/// The words that `word` may be a form of: plural, past, participle, adverb.
fn bases(word: &str) -> impl Iterator<Item = String> {
    let mut bases = Vec::new();
    for ending in ["s", "es", "ed", "ing", "ly", "'s"] {
        let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= 2) else {
            continue;
        };
        bases.push(base.to_owned());
        if matches!(ending, "ed" | "ing") {
            bases.push(format!("{base}e"));
            let last = base.as_bytes()[base.len() - 1];
            if base.len() > 2 && base.as_bytes()[base.len() - 2] == last {
                bases.push(base[..base.len() - 1].to_owned());
            }
        }
        if let Some(stem) = base.strip_suffix('i')
            && ending != "ing"
        {
            bases.push(format!("{stem}y"));
        }
    }
    bases.into_iter()
}

/// Sorted.
const WORDS: &str = "\
    a able about above absolutely accept access account achieve across act action active activity actual \
    actually add addition address admit adopt advance advice affect afford afraid after again against \
    age agree ah ahead aim air alarm alert alive all allow almost alone along already also although \
    always am among amount an analysis and angle angry animal announce annual another answer any anybody \
    anyone anything anyway anywhere apart apparent appeal appear apply approach appropriate approve \
    april are area argue argument arise arm army around arrange array arrive arrow art article as aside \
    ask aspect assert assess asset assign assist assume assure at ate attach attack attempt attend \
    attention audience august author auto automatically available average avoid award aware away awful \
    baby back background bad bag balance ball band bank bar barely base basic basically basis bat batch \
    be beach beat beautiful beauty because become bed been before began begin beginning begun behave \
    behavior behaviour behind being believe bell belong below bench bend benefit beside besides best bet \
    better between beyond big bill billion bind birth bit bite bitten black blame blank blind block \
    blood blow blue board boat body bold bond bone book boot border bore born borrow boss both bother \
    bottle bottom bought bound bow bowl box boy brain branch brand bread break breakfast breath brief \
    bright bring broad broke broken brother brought brown browse brush buck budget bug build building \
    built bulk bunch bundle burn bus business busy but button buy by bye cable cache cake call calm came \
    camera campaign can cancel candidate cannot cap capable capacity capital capture car card care \
    career careful carry cart case cash cast cat catch category caught cause cell center central century \
    certain certainly chain chair challenge chance change channel chapter character charge charity chart \
    chase chat cheap check chief child children choice choose chose chosen church circle cite citizen \
    city civil claim class classic clean clear clearly click client climb clip clock clone close cloud \
    club clue cluster coat code coffee cold collapse collar collect college color colour column combine \
    come comfort comma command comment commit committee common communicate community company compare \
    compete compile complain complete completely complex component compose compute computer concept \
    concern concerning condition conduct confirm conflict confuse connect connection consider consist \
    console constant contact contain content contest context continue contract contribute control \
    convert cook cookie cool cope copy core corner correct correctly cost could count country county \
    couple courage course court cover cow crack craft crash crazy cream create credit crew crime crisis \
    critical cross crowd cry culture cup cure curious current currently curve custom customer cut cute \
    cycle dad daily damage dance danger dare dark data database date daughter day dead deal dear death \
    debate debt debug decade decide decision declare decline deep default defeat defend define \
    definitely degree delay delete deliver demand demo depend deploy depth derive describe deserve \
    design desire desk despite detail detect determine develop developer device did diet differ \
    difference different difficult dig digit dinner direct direction directly directory dirty disable \
    discover discuss discussion disease dish disk dismiss display distance divide do doc docs doctor \
    document does dog doing dollar domain done door dot double doubt down dozen draft drag drama draw \
    drawn dream dress drew drink drive driven driver drop drove dry due dump during dust duty each ear \
    early earn earth ease easily east easy eat eaten echo economy edge edit editor educate effect \
    effective effort egg eight either elect electric element eleven else email emerge emotion emphasis \
    employ empty enable encounter encourage end enemy energy engage engine enjoy enough enter entire \
    entirely entry environment equal error escape especially essay establish estate estimate even \
    evening event eventually ever every everybody everyone everything everywhere evidence evil exact \
    exactly exam example excellent except exchange excite excuse execute exercise exist exit expand \
    expect expensive experience expert explain explore export expose extend extent external extra \
    extreme eye face fact factor fail failure fair faith fall fallen false familiar family famous fan \
    fancy far farm fashion fast fat father fault favor favorite favourite fear feature feed feedback \
    feel feeling feet fell felt fetch few field fifth fifty fight figure file fill film filter final \
    finally find fine finger finish fire firm first fish fit five fix flag flat flew flight float floor \
    flow fly focus fold folder folk follow food fool foot for force foreign forget forgot fork form \
    formal format former fortune forty forward found four fourth frame free freedom fresh friend from \
    front fruit fuel full fully fun function fund funny further furthermore future gain game gap gas \
    gate gather gave gear general generally generate gentle get gift girl give given glad glass global \
    glue go goal god goes going gone good got gotten govern government grab grade grand grant graph \
    grass gray great green grew grey grid ground group grow growth guard guess guest guide gun guy habit \
    had hair half hall halves hand handle hang happen happy hard hardly has hash hat hate have having he \
    head header health hear heard heart heat heavy height held hello help hence her here hers herself \
    hey hi hid hidden hide high highlight him himself hint hire his history hit hmm hold hole holiday \
    home honest honor hook hope hospital host hot hotel hour house how however huge human humor hundred \
    hungry hunt hurry hurt husband i ice icon idea ideal identify idle if ignore ill image imagine \
    immediately impact implement import important impossible impress improve in include including income \
    increase indeed index indicate individual industry influence inform information initial inject input \
    inquiry insert inside insist inspect install instance instead instruct intend interest interesting \
    internal international internet interview into introduce invest invite involve is issue it item its \
    itself jacket job join joint joke journal journey joy judge juice jump june junior just justice keen \
    keep kept key keyboard kick kid kill kind kiss kitchen knee knew knife knock know knowledge known \
    label labor lack lady laid land lane language large last late later laugh launch law lay layer lazy \
    lead leader leaf leak lean learn least leave leaves led left leg legal lend length lent less lesson \
    let letter level library license lie life lift light like likely limit line link lip list listen \
    literally little live lives load loan local locate lock log logic login long look loop loose lord \
    lose loss lost lot lots loud love low loyal luck lucky lunch machine mad made mail main mainly \
    maintain major make male man manage manager manner manual many map march mark market marriage marry \
    mask mass master match material math matter maximum may maybe me meal mean meaning meant meanwhile \
    measure meat media medical meet meeting member memory men mental mention menu merge mess message met \
    metal method metric mice middle might migrate mild mile milk million mind mine minimum minor minus \
    minute miss mission mistake mix mixed mock mode model modern modify module mom moment monday money \
    monitor month mood moral more moreover morning most mostly mother motion motor mount mouse mouth \
    move movie much multiple murder muscle music must mutual my myself mystery nail name narrow nation \
    native natural nature near nearly neat necessary neck need negative neighbor neither nerve nest net \
    network neutral never nevertheless new news next nice night nine no nobody noise none noon nor norm \
    normal normally north nose not note nothing notice novel now nowhere null number nurse nut object \
    objective observe obtain obvious obviously occasion occur odd of off offer office officer official \
    offset often oh oil ok okay old older on once one ones online only onto open operate operation \
    opinion opportunity oppose opposite option or order ordinary organ organize origin original \
    originally other otherwise ought our ours ourselves out output outside oven over overall owe own \
    owner pace pack package page paid pain paint pair pale pan panel panic paper paragraph parallel \
    parent park parse part particular particularly partly partner party pass passage passion password \
    past paste patch path patient pattern pause pay payment peace peak peer pen people per perfect \
    perform performance perhaps period permit person personal phase phone photo phrase physical pick \
    picture piece pile pill pin pink pipe pitch place plain plan plane plant plastic plate platform play \
    player pleasant please pleasure plenty plot plug plus pocket poet point police policy polite \
    political poll pool poor pop popular port pose position positive possess possible possibly post pot \
    potential pound pour power practical practice pray prefer prepare present preserve president press \
    pressure pretend pretty prevent preview previous previously price pride primary prime print prior \
    priority prison private prize probably probe problem proceed process produce product profession \
    profile profit program progress project promise promote prompt proof proper properly property \
    propose protect proud prove provide public publish pull pump punish purchase pure purple purpose \
    push put puzzle quality quantity quarter query question queue quick quickly quiet quit quite quote \
    race radio rain raise ran random rang range rank rapid rare rarely rate rather raw reach read reader \
    ready real reality realize really reason rebuild recall receive recent recently recipe recognize \
    recommend record recover red reduce refer reference reflect reform refresh refuse regard regarding \
    region register regular reject relate relation relative relax release relevant relief religion rely \
    remain remark remember remind remote remove rename rent repair repeat replace reply report represent \
    request require rescue research reset resist resolve resource respect respond rest restart restore \
    result retain retire retry return reveal reverse review revise reward rich rid ride right ring rise \
    risk road rock role roll roof room root rope rough round route row rub rule run running rush sad \
    safe said salad salary sale salt same sample sand sang sat satisfy sauce save saw say scale scan \
    scared scene schedule schema school science scope score scratch scream screen script scroll search \
    season seat second secret section sector secure security see seed seek seem seen seldom select self \
    sell selves send senior sense sent sentence separate sequence series serious serve server service \
    session set settle setup seven several severe sex shade shake shall shame shape share sharp she \
    sheet shell shelter shift shine shirt shock shoe shook shoot shop short shot should shoulder shout \
    show shower shown shut sick side sight sign signal silence silent silly similar simple simply since \
    sing single sink sir sister sit site situation six size skill skin skip sky sleep slept slice slide \
    slightly slip slot slow slowly small smart smell smile smoke smooth snap so soap social society soft \
    software soil sold solid solution solve some somebody somehow someone something sometimes somewhere \
    son song soon sorry sort soul sound soup source south space spare speak special specific \
    specifically speech speed spell spend spent spin spirit split spoke sport spot spread square stable \
    stack staff stage stair stamp stand standard star start state statement static station status stay \
    steady steal steam step stick still stock stole stomach stood stop storage store story straight \
    strange stream street strength stress stretch strict strike string strip strong struck structure \
    struggle student studio study stuff stupid style subject submit success such sudden suddenly suffer \
    sugar suggest suit summary summer sunday supply support suppose sure surface surprise survey survive \
    suspect swam sweet swim swing switch swore symbol sync system table tag tail take taken tale talent \
    talk tall target task taste taught tax teach teacher team tear tech teeth tell template temporary \
    ten tend term terrible test text than thank thanks that the their theirs them theme themselves then \
    theory there therefore these they thick thin thing think third thirty this those though thought \
    thousand thread threat three threw through throughout throw thrown thus ticket tidy tie tight till \
    time tiny tip tire tired title to toast today toe together token told tomorrow tone tongue tonight \
    too took tool tooth top topic total totally touch tough tour toward towards town toy trace track \
    trade traffic train transfer transform travel treat tree trend trial trick trigger trip triple \
    trouble truck true trust truth try tune turn twelve twenty twice twist two type typical ugly unable \
    uncle under understand understood unique unit unite universe university unknown unless until up \
    update upgrade upload upon upper upset urban urge us use used useful user usual usually vacation \
    valid validate value variable variety various vary vast vehicle verify version vertical very via \
    victim video view village violence visible vision visit visual voice volume vote wage wait wake walk \
    wall wander want war warm warn warning was wash waste watch water wave way we weak wealth wear \
    weather web wedding week weekend weight welcome well were west wet what whatever wheel when whenever \
    where wherever whether which whichever while white who whoever whole whom whose why wide wife wild \
    will win wind window wing winner winter wire wise wish with within without wives woke woman women \
    won wonder wood word wore work worker world worn worry worse worst worth would wow wrap write writer \
    written wrong wrote yard yeah year yellow yes yesterday yet you young your yours yourself yourselves \
    youth zero";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_without_repetition() {
        let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(words.len() > 1_500);
    }

    #[test]
    fn common_words_and_their_forms() {
        for word in [
            "go", "Go", "GO", "make", "test", "mark", "next", "will", "may", "can", "tests", "making",
            "tried", "running", "changes", "quickly", "goes", "a", "I", "C", "r", " go ", "word's",
        ] {
            assert!(is_common_word(word), "{word}");
        }
        for name in [
            "", "orchard", "mercury", "redis", "kafka", "rust", "python", "react", "docker", "rails", "bing",
            "C++", ".NET", "go fish", "make_it", "gó", "7", "ж", "東", "node",
        ] {
            assert!(!is_common_word(name), "{name}");
        }
    }
}

//! Everyday words: they are names as often as not, and a prompt that holds one seldom means the thing of that name.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::is_common_word;
use crate::words;

/// Whether everybody writes this word in more than one sense: a common English word (also in a form of it), or one of
/// the ordinary words that things are named after and that programmers use (`harbor`, `buffer`, `scheduler`).
///
/// ```
/// use ken_text::recognise::is_everyday_word;
/// assert!(is_everyday_word("Harbor") && is_everyday_word("buffers") && is_everyday_word("test"));
/// assert!(!is_everyday_word("Mercury") && !is_everyday_word("postgresql") && !is_everyday_word("blue harbor"));
/// ```
pub fn is_everyday_word(name: &str) -> bool {
    static EVERYDAY: OnceLock<HashSet<&str>> = OnceLock::new();
    let listed = EVERYDAY.get_or_init(|| WORDS.split_ascii_whitespace().collect());
    let word = words::plain(name.trim());
    let one = word.strip_suffix('s').unwrap_or(&word);
    listed.contains(word.as_ref()) || listed.contains(one) || is_common_word(name)
}

/// Whether a word is a technology that everybody works with: as a name it is one, but that a text holds it says little
/// of what the text is about (`docker`, `json`, `react`).
pub fn is_everyday_technology(name: &str) -> bool {
    static EVERYDAY: OnceLock<HashSet<&str>> = OnceLock::new();
    let listed = EVERYDAY.get_or_init(|| TECHNOLOGIES.split_ascii_whitespace().collect());
    listed.contains(words::plain(name.trim()).as_ref())
}

/// Sorted; what the list of common words holds is left out.
const WORDS: &str = "\
    abstract accordion actor adapter admin agenda airflow algorithm alias alignment allocator alpha \
    amber anchor anomaly apex api app appendix aqueduct archive arena argon ark armor artifact ascent \
    ash aspen assembler assembly assistant aster asteroid astro async atlas atom attic attribute audit \
    aurora authenticate authentication authorization authorize avalanche avatar await axiom axis backend \
    backlog backoff backup badge bagel bamboo bandwidth banner barrel barrier basket bastion batcher \
    beacon beam bear beaver bedrock bee beetle benchmark berry beta binary bishop bison blacksmith blade \
    blaze blob blocklist blog blossom bolt bookmark boolean booster bot boulder bouncer boundary bracket \
    breadcrumb breakpoint breeze brick bridge broker browser bubble bucket buffer builder bulb bulldozer \
    bumper bundler bunker buoy butler butter byte bytes cabin cabinet cactus caddy calculator caldera \
    calendar callback canal canary candle cannon canvas canyon caravan cardinal carousel carpenter \
    cartridge cascade castle catalog catalyst cd cedar celery cellar cement centipede chalk chameleon \
    char checkbox checklist checkout checkpoint cheetah cherry chess chip chisel chunk chunks ci cinder \
    cipher circuit citadel clay cleaner cleanup cli clipboard closure clover coach cobra cockpit \
    codebase collector colony comet commander compactor companion compass compiler composer concierge \
    concurrency conductor conduit config configuration configure connector constraint container conveyor \
    copper coral coroutine cosmos counter courier cove coyote cpu crane crater crawler crayon creek \
    crest cricket cron crow crown crud cruise crystal cube cursor curtain cushion cyclone dagger \
    daisy dam dart dashboard dashboards dataset dawn deadline deadlock debugger december deck decoder \
    decorator decrypt deer delta dependencies dependency deployment depot deserialize desert desktop \
    detector dev dialog diamond dictionary digest dispatcher diver dock dolphin dome domino downgrade \
    dragon drawer drift drone dropdown drum dto duck dune dwarf dynamo eagle easel eclipse eel elephant \
    elevator elm ember emerald emoji encapsulation encoder encrypt encryption endpoint english ensign \
    enum env envelope envoy epoch equinox erosion essence executor exporter extension extractor fabric \
    facade factory falcon feather february fern ferry fetcher fiddle firefly firewall flamingo flare \
    flint flipper flock florist flux foam footer forge formatter fortress fountain fox fragment \
    framework freighter french friday frontend frost fusion galaxy gallery garage garden garnet gateway \
    gauge gazelle gazette gem generator genesis german geyser ghost giant ginger glacier glade glider \
    glitch globe glossary gmt goat goblin gopher gorilla goroutine gpu granite grape griffin grove \
    guardian guild gull gutter hammer hamster handler hangar harbor harbour harness harvest harvester \
    hatch haven hawk hawthorn heap hedge hedgehog helper hermit heron hex highway hive holly honey \
    horizon hornet hotfix http https hub hummingbird hurricane hydra iceberg id iframe igloo importer \
    impulse inbox indexer indigo infra ingestor ingress inheritance initialize injection inline insight \
    inspector installer integer integers integrate integration interface interpreter invoice invoices \
    iris iron island iterator ivory ivy jackal jaguar january jasmine jasper javelin jelly jigsaw js \
    jukebox july jungle jury kernel kettle keychain keystone kiosk kite kitten knot koala lab ladder \
    lagoon lamp lantern laptop lark laser latch latency lattice launcher lava layout ledger legend lemon \
    lens leopard lever lexer lib lighthouse lily limiter linker lint linter lion listener lizard llama \
    loader lobby locale localhost locker locket locksmith lodge logger logo logout loom lotus lynx lyric \
    mac magma magnet magnolia mailbox mailer malloc manifest mantis maple marathon marble marina mariner \
    markdown mascot matrix maze meadow medal meerkat megaphone merchant mermaid mesa mesh messenger \
    metadata meteor metronome microscope middleware midnight migration migrations mill millennium \
    minotaur mint mirage mirror mist mixer mixin mocha modal mole molecule monolith monsoon moose mosaic \
    moth mustang mutex namespace navbar nebula nectar needle neuron neutron newsletter ninja node \
    nomad notebook notifier nova november nullable nursery oak oasis observatory observer ocean october \
    octopus odyssey olive onboarding onyx opal optimise optimization optimize optimizer oracle orange \
    orbit orchestra orchestration orchid origami otter outbox outpost overflow overlord overview owl ox \
    oyster pacer packer paddle pagoda palette palm pancake panda panorama panther pantry parachute param \
    params parcel parrot parser partition patcher payload peach peacock pearl pebble pelican pencil \
    penguin pepper percent phantom phoenix piano picker pickle pier pigeon pillar pilot pine pinnacle \
    pioneer pipeline piranha pirate pistachio pixel placeholder planner plasma platypus playbook \
    playground plaza plugin plum pod podium pointer polygon polymorphism pony popup portal portfolio \
    postman pr prairie predictor pretzel prism procedure processor prod profiler prophet protocol proton \
    prototype provider provisioner proxy prune publisher puffin pulsar pulse puma pumpkin puppet puppy \
    pyramid qa quarry quartz quest quill quilt rabbit raccoon radar raft rainbow raindrop ram ramp \
    ranger raptor raven reactor readme realm reaper receipt receiver recorder recursion redirect reducer \
    reed reef refactor reformat refund regex registry relay reload reminder renderer repl replica repo \
    reporter repository rerun resize resolver revert rhino ribbon riddle ridge river robin robot rocket \
    rollback rooster roster router runner runtime sail sailor salmon sandbox sapphire satellite saturday \
    scaffold scanner scarecrow scheduler scorpion scout scraper scribe scrollbar sdk seal seeder \
    segfault selector semaphore sensor sentinel sentry september sequoia serialize serializer serpent \
    shader shadow shard shark shelf shield ship shuttle sidebar sidecar sieve sifter sigma signature \
    singleton siren skeleton slate sleet slider sloth smith snail snake snapshot snapshots snippet \
    socket solver sonar sonnet spade spanish spark sparrow sparse spectrum sphere sphinx spider spiral \
    spire splitter sponge spool spreadsheet sprint sprite sprout spruce squad squid squirrel ssh ssl \
    stallion staple starfish starling stderr stdin stdout steward stitch stopwatch stork storm streamer \
    struct stub subclass submarine subprocess subscriber suite summit sundial sunflower sunrise sunset \
    surge swan swarm switchboard sword syncer syntax syringe tablet tadpole talon tango tapestry tarpon \
    tavern tcp telegraph telescope tempest temple tenant tenants tensor terminal terrace texture thimble \
    thistle thorn throttle throughput thumbnail thunder thursday tide tiger tile timber timeline timeout \
    timer timestamp titan tls toaster todo toggle tokenizer toolbar toolbox toolchain toolkit tooltip \
    torch tornado tortoise totem toucan tower tracker tractor trail transaction transformer translation \
    translations translator trapeze treasure trident trie trolley trooper trumpet ts tuesday tulip \
    tundra tunnel tuple turbine turret turtle twig twister typhoon typo ui umbrella umlaut undefined \
    underflow unicorn uninstall unittest untracked uploader uri url username utc utf utility validation \
    valley valve vampire vanilla vase vector velvet vendor vertex vessel viewer viewport viking villa \
    vine vineyard viper virus vivid volcano voyager vps vulture waffle wagon walker wallet walnut walrus \
    warden warehouse warrior wasp watchdog watcher watchtower waterfall weasel weaver webhook wednesday \
    whale wharf wheat whisper whistle wick widget wifi wildcard wildcat willow windmill wizard wolf \
    wombat woodpecker workbench workflow workspace worm wrapper wreath yacht yak zebra zenith zipper \
    zombie";

/// Sorted.
const TECHNOLOGIES: &str = "\
    android angular ansible apache aws azure babel bash bootstrap bun cargo chatgpt chrome circleci \
    clojure cloudflare css csv cypress dart deno django docker dynamodb ec2 elasticsearch elixir emacs \
    erlang eslint excel express firebase firefox flask flutter gcp git github gitlab godot golang gpt \
    gradle grafana graphql grpc hadoop haskell helm heroku html http2 ios java javascript jenkins jest \
    jpg jquery json julia jupyter jwt kotlin kubernetes lambda laravel latex less linux llm lua macos \
    matlab matplotlib maven md5 mongo mongodb mysql netlify nextjs nginx npm npx numpy oauth openai \
    pandas pdf perl php pip playwright png pnpm postgres postgresql prettier prometheus pytest python \
    pytorch rails rds react redis ruby rust s3 safari sass scala sha spark spring sql sqlite stripe \
    supabase svelte svg swift tailwind tensorflow terraform typescript ubuntu unity unreal utf-8 utf8 \
    vercel vim vite vpn vscode vue webgl webpack websocket websockets windows wsl xcode xml yaml yarn \
    zsh";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_without_repetition() {
        for list in [WORDS, TECHNOLOGIES] {
            let words: Vec<&str> = list.split_ascii_whitespace().collect();
            assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let twice: Vec<&str> = WORDS
            .split_ascii_whitespace()
            .filter(|word| is_common_word(word))
            .collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}

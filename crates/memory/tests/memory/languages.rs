//! Facts and prompts in other languages than English: silence on other things, and what is known is told.

use ken_memory::{BriefRequest, Situation};

use crate::machine::Machine;

const FACTS: &[&str] = &[
    "Die Migration darf nicht am Freitag laufen.",
    "Der Knopf zum Speichern steht immer rechts unten.",
    "Die Sicherungskopien werden 35 Tage aufbewahrt.",
    "Die Rechnungen werden kaufmännisch gerundet.",
    "Les factures sont arrondies à la fin de chaque ligne.",
    "Le déploiement est interdit pendant la clôture du mois.",
    "L'adresse du client ne doit pas paraître dans le journal.",
    "La base de producción es de solo lectura los domingos.",
    "本番データベースは PostgreSQL 16 です。",
    "決済サービスのテストは夜間に実行しないでください。",
    "生产数据库只能通过跳板机访问。",
    "发票金额以分为单位存储。",
    "Резервные копии хранятся тридцать дней.",
];

const OTHER: &[&str] = &[
    "Schreib mir bitte eine Funktion, die nicht so lange dauert",
    "Warum ist die Liste immer leer, und wie werden die Einträge sortiert?",
    "kannst du mir erklären, was der Fehler ist und wo er steht",
    "Mach den Titel größer und die Schrift fett",
    "Der Test läuft nicht mehr, seit ich die Version geändert habe",
    "Pourquoi la page est-elle si lente à la fin du chargement ?",
    "écris une fonction qui ne doit pas modifier la liste",
    "les tests ne passent plus depuis ce matin, regarde pourquoi",
    "¿por qué la función no devuelve nada en los tests?",
    "この関数を短くしてください",
    "テストを書いてください",
    "ボタンの色が変わらないのはなぜですか",
    "为什么这个函数不能返回列表？",
    "帮我把这个文件改成英文",
    "数据库的索引是什么",
    "Почему эта функция возвращает пустой список?",
];

const TOUCHING: &[(&str, &str)] = &[
    ("Lass die Migration heute am Freitag laufen", "Freitag"),
    ("wie lange werden Sicherungskopien aufbewahrt?", "35 Tage"),
    (
        "Wie sollen Rechnungen gerundet werden, kaufmännisch?",
        "kaufmännisch",
    ),
    ("comment les factures sont-elles arrondies ?", "arrondies"),
    ("lance le déploiement, la clôture est finie", "interdit"),
    ("ajoute l'adresse du client au journal", "paraître"),
    (
        "¿puedo escribir en la base de producción este domingo?",
        "solo lectura",
    ),
    ("本番データベースのバージョンは?", "PostgreSQL 16"),
    ("決済サービスのテストを夜間に動かして", "決済"),
    ("如何访问生产数据库", "跳板机"),
    ("把发票金额改成小数存储", "以分为单位"),
    ("как долго хранятся резервные копии?", "тридцать"),
];

#[test]
fn silence_and_recall_hold_in_other_languages() {
    let machine = Machine::lived_in();
    let facts: String = FACTS
        .iter()
        .map(|fact| format!("  - {{category: c, text: {}}}\n", serde_json::json!(fact)))
        .collect();
    machine.write("edicts.yaml", &format!("version: 1\nedicts:\n{facts}"));
    let memory = machine.agent("codex");
    let told = |prompt: &str| {
        memory
            .brief(&BriefRequest::new(Situation::Prompt(prompt.to_owned())))
            .text
    };
    let spoken: Vec<String> = OTHER
        .iter()
        .map(|prompt| format!("{prompt}: {}", told(prompt)))
        .filter(|said| said.contains("\n- "))
        .collect();
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
    let missed: Vec<&str> = TOUCHING
        .iter()
        .filter(|(prompt, fact)| !told(prompt).contains(fact))
        .map(|(prompt, _)| *prompt)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#!/usr/bin/env bash
# What the action of this repository (action.yml) runs: the three checks on a checkout, as annotations. All of them run,
# and it fails when any of them found something wrong.
#   ci/check.sh          on the working directory
# KEN (the program, `ken` by default), KEN_STRICT (`true`: warnings fail, too), KEN_BASELINE (a file of leaks that are
# known and accepted), KEN_FORMAT (`github` by default; `text` for people).
set -uo pipefail

ken=${KEN:-ken}
format=${KEN_FORMAT:-github}
strict=()
if [ "${KEN_STRICT:-false}" = true ]; then strict=(--strict); fi
baseline=()
if [ -n "${KEN_BASELINE:-}" ]; then baseline=(--baseline "$KEN_BASELINE"); fi

failed=0
check() {
    local title=$1
    shift
    printf '== %s\n' "$title"
    "$@" || failed=1
}

# Every file of edicts and every manifest of the checkout; of one kind there may be none. A path may hold anything.
edicts=() manifests=()
while IFS= read -r -d '' file; do edicts+=("$file"); done < <(
    find . -name .git -prune -o -type f \( -name edicts.yaml -o -name edicts.yml -o -name edicts.json \) -print0 | sort -z
)
while IFS= read -r -d '' file; do manifests+=("$file"); done < <(
    find . -name .git -prune -o -type f \( -name '*.l5.yaml' -o -name '*.l5.yml' \) -print0 | sort -z
)

for file in ${edicts[@]+"${edicts[@]}"}; do
    check "ken edict validate $file" "$ken" edict validate --path "$file" --format "$format" ${strict[@]+"${strict[@]}"}
done
if [ "${#manifests[@]}" -gt 0 ]; then
    check "ken library validate" "$ken" library validate --format "$format" ${strict[@]+"${strict[@]}"} "${manifests[@]}"
fi
check "ken audit leaks" "$ken" audit leaks . --format "$format" ${baseline[@]+"${baseline[@]}"}

if [ "${#edicts[@]}" -eq 0 ] && [ "${#manifests[@]}" -eq 0 ] && [ ! -d .agent ]; then
    echo "there is nothing to check here: no edicts, no manifest, no .agent folder"
fi
exit "$failed"

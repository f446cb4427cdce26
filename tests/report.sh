#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages of report.html in a browser: made from results/reference and checked as HTML (html-validate), then opened in
# headless Chromium, on a light and a dark screen and a narrow one: no message, no request, nothing wider than the
# screen, nothing that axe-core finds inaccessible. Leaves pages and pictures of them in the folder for a look.
#
#   tests/report.sh ZKHERD FOLDER
#
# FOLDER gets the npm packages, too.
set -euo pipefail
zkherd=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/.."
reference=results/reference

npm install --prefix "$folder" --no-save --no-audit --no-fund --silent \
    html-validate@10.17.0 axe-core@4.14.1 puppeteer-core@24.43.1

rm -f "$folder"/*.html "$folder"/*.png "$folder"/*.pdf
page() {
    "$zkherd" report "${@:2}" -o "$folder/$1.html"
}
page run "$reference/standalone"
page runs "$reference/standalone" "$reference/ensemble3"
page background "$reference/load/background"
page paper "$reference/paper"
page plan "$reference/plan/waiters" "$reference/plan/locks"
page simulated "$reference/simulated"

cat > "$folder/htmlvalidate.json" <<'END'
{"root": true, "extends": ["html-validate:standard"], "rules": {"void-style": ["error", {"style": "selfclosing"}]}}
END
"$folder/node_modules/.bin/html-validate" --config "$folder/htmlvalidate.json" "$folder"/*.html
NODE_PATH=$folder/node_modules node tests/report.js "$folder"/*.html

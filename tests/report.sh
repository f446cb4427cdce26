#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages of report.html in a browser: made from results/reference and checked as HTML (html-validate), then opened in
# headless Chromium, on a light and a dark screen, on one with the colours of the reader, on a narrow and a wide one, and
# on paper: no message, no request, nothing wider than the screen or the sheet, not too many sheets, nothing that axe-core
# finds inaccessible; and with scripts switched off. Leaves pages and pictures of them in the
# folder for a look.
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
page paper "$reference/paper"
for experiment in table1 table2 table3; do
    page "$experiment" "$reference/paper/$experiment"
done
page plan "$reference/plan/waiters"
page simulated "$reference/simulated"
page anatomy "$reference/anatomy"

# Handoffs to go through; a trace whose names are markup; and one of many clients.
rm -rf "$folder"/trace-*
trace() {
    "$zkherd" run -q -d simulated -r nonscalable,scalable -t 1 --seed 1 --plots svg "${@:2}" -o "$folder/trace-$1"
    page "trace-$1" "$folder/trace-$1"
}
trace few -n 8,32 --trace 1,4,31
cp -r "$folder/trace-few" "$folder/trace-hostile"
sed -i 's|nonscalable|</script><img src=x onerror=alert(1)>|' "$folder/trace-hostile/trace.csv"
page trace-hostile "$folder/trace-hostile"
trace many -n 250 --trace 1

# A lock that fails, and a load, both in memory.
rm -rf "$folder/broken" "$folder/load"
"$zkherd" run -q -d simulated -r scalable,broken-nolock -n 2..8x2 -t 2 -o "$folder/broken" || [ $? = 1 ]
"$zkherd" load -q -d simulated --reads 0..100+50 -n 4 --duration 2s -t 1 -o "$folder/load"
page broken "$folder/broken"
page mixed "$folder/broken" "$folder/load" "$reference/plan/waiters"

cat > "$folder/htmlvalidate.json" <<'END'
{"root": true, "extends": ["html-validate:standard"], "rules": {"void-style": ["error", {"style": "selfclosing"}]}}
END
"$folder/node_modules/.bin/html-validate" --config "$folder/htmlvalidate.json" "$folder"/*.html
NODE_PATH=$folder/node_modules node tests/report.js "$folder"/*.html

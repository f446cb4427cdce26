/*<![CDATA[*/
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables to take along: below the caption of each a button that saves it as CSV, and one that saves it
 * as LaTeX, which needs the package booktabs. Headings in two lines become one. Without this script
 * the page has the tables alone. What a table says becomes text of a file, never markup. The first and
 * the last line let the page be read as XML as well.
 */
'use strict';
{
    /* The headings of the columns: each of the first line, before those that stand below it. */
    const headings = ({rows: [first, second]}) => {
        const below = second ? Array.from(second.cells, ({textContent}) => textContent) : [];
        return Array.from(first.cells).flatMap((cell) => cell.colSpan === 1 && !second ||
            cell.rowSpan > 1 ? [cell.textContent] :
            below.splice(0, cell.colSpan).map((name) => `${cell.textContent}: ${name}`));
    };
    const bodyOf = (table) => Array.from(table.tBodies[0].rows, (row) =>
        Array.from(row.cells, ({textContent}) => textContent));
    const isNumber = (text) => /^~?[≥ ]*[-\d][\d,.]*$/.test(text) || text === '–' || text === '';

    /* Numbers as programs read them: without the commas of thousands, and nothing for a dash. */
    const plain = (text) => text === '–' ? '' : /^-?\d{1,3}(,\d{3})+$/.test(text) ?
        text.replaceAll(',', '') : text;
    const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const toCsv = (names, rows) => [names, ...rows.map((row) => row.map(plain))]
        .map((row) => row.map(quoted).join(',') + '\n').join('');

    const signs = {'\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}',
        '<': '\\textless{}', '>': '\\textgreater{}', '–': '--', '≥': '$\\ge$', 'µ': '$\\mu$',
        '²': '$^2$', '³': '$^3$', '−': '$-$'};
    const escaped = (text) => text.replace(/[\\~^<>–≥µ²³−]|[&%$#_{}]/g, (one) =>
        signs[one] ?? `\\${one}`);
    const toLatex = (names, rows, caption) => {
        const kinds = names.map((_, i) => rows.every((row) => isNumber(row[i])) ? 'r' : 'l');
        const line = (row) => `${row.map(escaped).join(' & ')} \\\\\n`;
        return `% \\usepackage{booktabs}\n\\begin{table}\n\\caption{${escaped(caption)}}\n` +
            `\\begin{tabular}{${kinds.join('')}}\n\\toprule\n${line(names)}\\midrule\n` +
            `${rows.map(line).join('')}\\bottomrule\n\\end{tabular}\n\\end{table}\n`;
    };

    const save = (text, name) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([text], {type: 'text/plain'}));
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    const kinds = {CSV: ['csv', toCsv], LaTeX: ['tex', toLatex]};
    for (const table of document.querySelectorAll('table')) {
        const caption = table.caption.textContent, place = document.createElement('span');
        const name = caption.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 60);
        for (const [label, [ending, write]] of Object.entries(kinds)) {
            const button = document.createElement('button');
            button.textContent = label;
            button.setAttribute('aria-label', `Save as ${label}: ${caption}`);
            button.onclick = () => save(write(headings(table.tHead), bodyOf(table), caption),
                `${name}.${ending}`);
            place.append(' ', button);
        }
        place.className = 'save';
        table.caption.append(place);
    }
}
/*]]>*/

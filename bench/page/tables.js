/*<![CDATA[*/
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables to take along: below the caption of each a button that saves it as CSV, and one that saves
 * the LaTeX that the page has of it. Without this script the page has the
 * tables alone. What a table says becomes text of a file, never markup. The first and the last line let
 * the page be read as XML as well.
 */
'use strict';
{
    const textsOf = (row) => Array.from(row.cells, ({textContent}) => textContent);

    /* Numbers as programs read them: without the commas of thousands, and nothing for a dash. */
    const plain = (text) => text === '–' ? '' : /^-?\d{1,3}(,\d{3})+$/.test(text) ?
        text.replaceAll(',', '') : text;
    const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const toCsv = (table) => Array.from(table.rows, (row) =>
        textsOf(row).map(plain).map(quoted).join(',') + '\n').join('');

    const save = (text, name) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([text], {type: 'text/plain'}));
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    for (const table of document.querySelectorAll('table')) {
        const caption = table.caption.textContent, place = document.createElement('span');
        const name = table.dataset.name || caption.toLowerCase().replace(/[^a-z0-9]+/g, '-');
        const latex = table.parentElement.nextElementSibling;
        const add = (label, ending, write) => {
            const button = document.createElement('button');
            button.textContent = label;
            button.setAttribute('aria-label', `Save as ${label}: ${caption}`);
            button.onclick = () => save(write(), `${name}.${ending}`);
            place.append(' ', button);
        };
        add('CSV', 'csv', () => toCsv(table));
        if (latex && latex.matches('pre[hidden]'))
            add('LaTeX', 'tex', () => latex.textContent);
        place.className = 'save';
        table.caption.append(place);
    }
}
/*]]>*/

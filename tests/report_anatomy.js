// SPDX-License-Identifier: Apache-2.0
// Goes through the traced handoffs of a page as a reader does, by keyboard and by pointer, and compares what the page
// tells with the rows of its table. See tests/report.js.
'use strict';

// The rows of the table beside the handoffs, as objects.
function readTable(page) {
    return page.$eval('.anatomy', (root) => {
        const table = root.parentElement.querySelector('table');
        const names = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent);
        return Array.from(table.tBodies[0].rows, (row) =>
            Object.fromEntries(names.map((name, i) => [name, row.cells[i].textContent])));
    });
}

// What is said of a handoff, counted by the rows of each event.
function count(rows) {
    const of = (event) => rows.filter((row) => row.event === event);
    const woken = of('notification').filter((row) => row.wakes === 'yes');
    const vain = woken.filter((row) => !of('grant').some((grant) => grant.session === row.session));
    return {woken: woken.length, vain: vain.length, notifications: of('notification').length,
        requests: of('request').length};
}

function readNumbers(text) {
    const [, woken, vain, notifications, requests] = text.match(
        /^(\d+) sessions? woken, (\d+) of them for nothing; (\d+) notifications?, (\d+) requests?; granted after /);
    return {woken: Number(woken), vain: Number(vain), notifications: Number(notifications),
        requests: Number(requests)};
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
const spoken = (page, selector) => page.$eval(selector, (one) => one.ariaValueText);

// The page writes it when the reader rests.
function waitForWords(page, words) {
    return page.waitForFunction((expected) => Array.from(document.querySelectorAll('[aria-live]'))
        .some((one) => one.textContent.replaceAll('\u00a0', ' ').startsWith(expected)), {}, words);
}

async function checkHandoffs(page, rows, found) {
    const clients = String(Math.max(...rows.map((row) => Number(row.clients))));
    const handoffs = [...new Set(rows.filter((row) => row.clients === clients).map((row) => row.handoff))];
    await page.focus('.controls input[type=range]');
    for (const handoff of handoffs.sort((a, b) => a - b)) {
        const words = await spoken(page, '.controls input[type=range]');
        const some = rows.filter((row) => row.clients === clients && row.trial === '1' && row.handoff === handoff);
        if (words !== `${handoff}: ${some[0].waiters} of ${clients} clients waiting`)
            found.push(`handoff ${handoff}: the slider says '${words}'`);
        const recipes = await page.$$eval('.panels select', (all) => all.map((one) => one.value));
        const told = await texts(page, '.panels figure p:not([aria-live])');
        recipes.forEach((recipe, i) => {
            const expected = JSON.stringify(count(some.filter((row) => row.recipe === recipe)));
            if (JSON.stringify(readNumbers(told[i])) !== expected)
                found.push(`handoff ${handoff} of ${recipe}: '${told[i]}' instead of ${expected}`);
        });
        await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Home');
}

// Of the first handoff on the left: its release by keyboard, and its grant under the pointer.
async function checkMessages(page, rows) {
    const recipe = await page.$eval('.panels select', (one) => one.value);
    const some = rows.filter((row) => row.recipe === recipe && row.trial === '1' && row.handoff === '1' &&
        row.clients === rows.reduce((most, other) => Math.max(most, other.clients), 0).toString());
    const micros = (text) => Number(text).toLocaleString('en', {maximumFractionDigits: 1});
    await page.focus('.panels input');
    await waitForWords(page, `Session ${some[0].session} begins to release the lock`);
    await page.keyboard.press('ArrowRight');
    const request = some.find((row) => row.event === 'request');
    const reply = some.find((row) => row.event === 'reply' && row.session === request.session);
    await waitForWords(page, `Session ${request.session}: ${request.operation}, sent at ` +
        `${micros(request.time_us)} µs, answered at ${micros(reply.time_us)} µs, after `);
    const grant = some.find((row) => row.event === 'grant');
    await (await page.$('.panels .active path.grant')).hover();
    await waitForWords(page, `Session ${grant.session} is granted the lock at ${micros(grant.time_us)} µs.`);
}

// While it plays, what is to come is covered in each panel; afterwards nothing is.
async function checkPlay(page, found) {
    const covered = () => page.$$eval('.panels figure:not([hidden])', (all) =>
        all.map((one) => one.querySelectorAll('.future').length).join(' '));
    const panels = await page.$$eval('.panels figure:not([hidden])', (all) => all.length);
    await page.click('.controls button');
    await page.waitForFunction(() => document.querySelector('.panels .future') !== null);
    if (await covered() !== Array(panels).fill(1).join(' '))
        found.push(`while it plays, '${await covered()}' panels are covered`);
    await page.click('.controls button');
    if (await covered() !== Array(panels).fill(0).join(' '))
        found.push('what had been to come stays covered');
}

const isSeen = (page, selector) =>
    page.$eval(selector, (one) => one.getBoundingClientRect().height > 0);

// Returns what is wrong, as sentences. The page is at its beginning.
async function goThrough(page) {
    const found = [], rows = await readTable(page);
    if (!await isSeen(page, '.anatomy') || await isSeen(page, '.anatomy ~ figure'))
        found.push('the handoffs do not stand in the place of the picture');
    await checkHandoffs(page, rows, found);
    await checkMessages(page, rows);
    await checkPlay(page, found);
    await page.emulateMediaType('print');
    if (await isSeen(page, '.anatomy') || !await isSeen(page, '.anatomy ~ figure'))
        found.push('on paper the picture does not stand in the place of the handoffs');
    await page.emulateMediaType(null);
    return found;
}

// The same for a browser that runs no script.
async function lookWithout(page) {
    const wrong = await isSeen(page, '.anatomy') || !await isSeen(page, '.anatomy ~ figure');
    return wrong ? ['without scripts the picture does not stand in the place of the handoffs'] : [];
}

module.exports = {goThrough, lookWithout};

// SPDX-License-Identifier: Apache-2.0
// Opens each page that is named in headless Chromium; see tests/report.sh. Pictures go beside the pages. Exit status
// 1 if anything is found, which is printed.
'use strict';
const fs = require('fs');
const puppeteer = require('puppeteer-core');
const anatomy = require('./report_anatomy.js');

const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const screens = [
    {name: 'light', width: 1280, axe: true},
    {name: 'dark', width: 1280, features: {'prefers-color-scheme': 'dark'}, axe: true},
    {name: 'contrast', width: 1280, features: {'prefers-color-scheme': 'dark', 'forced-colors': 'active'}},
    {name: 'narrow', width: 360, axe: true},
    {name: 'wide', width: 1920},
    {name: 'paper', width: 718, media: 'print'}, // A4 with margins of 1 cm
    {name: 'no-script', width: 1280},
];
const paperHeight = 1047;
const papersMost = 24; // what is cited is no book

// All messages, errors and requests of a page, but for the page itself and the pictures in it.
function listen(page, address) {
    const heard = [];
    page.on('console', (message) => heard.push(`message: ${message.text()}`));
    page.on('pageerror', (error) => heard.push(`error: ${error}`));
    page.on('request', (request) => {
        if (request.url() !== address && !request.url().startsWith('data:image/'))
            heard.push(`request: ${request.url()}`);
    });
    return heard;
}

async function findBarriers(page) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run());
    return result.violations.map((found) =>
        `${found.id}: ${found.help}: ${found.nodes.length}, the first: ${found.nodes[0].html}`);
}

// As a person has set the browser.
async function set(page, screen) {
    const features = {'prefers-color-scheme': 'light', ...screen.features};
    const session = await page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', {
        media: screen.media || 'screen',
        features: Object.entries(features).map(([name, value]) => ({name, value})),
    });
    await page.setViewport({width: screen.width, height: 900});
}

async function findOverflow(page, screen) {
    const [width, height] = await page.evaluate(() => {
        const root = document.documentElement;
        return [root.scrollWidth, root.scrollHeight];
    });
    const found = [];
    if (width > screen.width)
        found.push(`${width} pixels wide on a screen of ${screen.width}`);
    if (screen.media === 'print' && height > papersMost * paperHeight)
        found.push(`${Math.ceil(height / paperHeight)} sheets of paper, more than ${papersMost}`);
    return found;
}

// Each table is saved with all its rows, as CSV, and as LaTeX if the page has that: what a button writes, the page keeps
// here for the test.
async function checkTables(page) {
    return page.evaluate(async () => {
        const found = [], texts = [], create = URL.createObjectURL;
        URL.createObjectURL = (blob) => { texts.push(blob.text()); return create.call(URL, blob); };
        HTMLAnchorElement.prototype.click = () => {};
        for (const table of document.querySelectorAll('table')) {
            const buttons = table.querySelectorAll('.save button'), rows = table.tBodies[0].rows.length;
            texts.length = 0;
            buttons.forEach((button) => button.click());
            const [csv, latex] = await Promise.all(texts), has = table.parentElement.nextElementSibling?.matches('pre[hidden]');
            const columns = rows > 0 ? table.tBodies[0].rows[0].cells.length : 0;
            const names = csv.split('\n')[0].match(/("([^"]|"")*"|[^,]*)(,|$)/g).length - 1;
            if (buttons.length !== (has ? 2 : 1) || !csv.endsWith('\n') || (rows > 0 && names !== columns))
                found.push(`${table.caption.textContent}: ${names} names of ${columns} columns in the CSV`);
            if (has && (latex.match(/ \\\\\n/g) ?? []).length !== rows + 1)
                found.push(`${table.caption.textContent}: not ${rows} rows in the LaTeX`);
        }
        return found;
    });
}

async function look(browser, path, screen) {
    const address = `file://${path}`;
    const page = await browser.newPage();
    const found = listen(page, address);
    page.setDefaultTimeout(60000);
    await page.setJavaScriptEnabled(screen.name !== 'no-script');
    await set(page, screen);
    await page.goto(address);
    const base = path.replace(/\.html$/, '');
    await page.screenshot({path: `${base}-${screen.name}.png`, fullPage: true});
    found.push(...await findOverflow(page, screen));
    if (screen.media === 'print')
        await page.pdf({path: `${base}.pdf`, format: 'A4'});
    if ((screen.axe || screen.name === 'no-script') && await page.$('.anatomy') !== null)
        found.push(...await (screen.axe ? anatomy.goThrough : anatomy.lookWithout)(page));
    if (screen.axe)
        found.push(...await findBarriers(page));
    if (screen.name === 'light')
        found.push(...await checkTables(page));
    await page.close();
    return found.map((text) => `${path}, ${screen.name}: ${text}`);
}

async function main(paths) {
    const browser = await puppeteer.launch(
        {executablePath: '/usr/bin/chromium', headless: true, args: ['--no-sandbox']});
    const found = [];
    for (const path of paths) {
        for (const screen of screens)
            found.push(...await look(browser, path, screen));
    }
    await browser.close();
    found.forEach((text) => console.error(text));
    console.log(`${paths.length} pages on ${screens.length} screens: ${found.length} findings`);
    process.exitCode = found.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));

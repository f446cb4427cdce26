// SPDX-License-Identifier: Apache-2.0
// Opens each page that is named in headless Chromium; see tests/report.sh. Pictures go beside the pages. Exit status
// 1 if anything is found, which is printed.
'use strict';
const fs = require('fs');
const puppeteer = require('puppeteer-core');
const anatomy = require('./report_anatomy.js');

const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const screens = [
    {name: 'light', width: 1280, scheme: 'light'},
    {name: 'dark', width: 1280, scheme: 'dark'},
    {name: 'narrow', width: 400, scheme: 'light'},
    {name: 'no-script', width: 1280, scheme: 'light'},
];

// All messages, errors and requests of a page, but for the page itself.
function listen(page, address) {
    const heard = [];
    page.on('console', (message) => heard.push(`message: ${message.text()}`));
    page.on('pageerror', (error) => heard.push(`error: ${error}`));
    page.on('request', (request) => {
        if (request.url() !== address)
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

async function look(browser, path, screen) {
    const address = `file://${path}`;
    const page = await browser.newPage();
    const found = listen(page, address);
    page.setDefaultTimeout(60000);
    await page.setJavaScriptEnabled(screen.name !== 'no-script');
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: screen.scheme}]);
    await page.setViewport({width: screen.width, height: 900});
    await page.goto(address);
    const base = path.replace(/\.html$/, '');
    await page.screenshot({path: `${base}-${screen.name}.png`, fullPage: true});
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > screen.width)
        found.push(`${width} pixels wide on a screen of ${screen.width}`);
    if (screen.name === 'light')
        await page.pdf({path: `${base}.pdf`, format: 'A4'});
    if (await page.$('.anatomy') !== null)
        found.push(...await (screen.name === 'no-script' ? anatomy.lookWithout : anatomy.goThrough)(page));
    if (screen.name !== 'no-script')
        found.push(...await findBarriers(page));
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

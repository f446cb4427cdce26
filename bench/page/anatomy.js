/*<![CDATA[*/
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The anatomy of a handoff, drawn from the table of trace.csv that the page has: a slider goes
 * through the handoffs that were traced, a button plays them, another slider, or the pointer, goes
 * through the messages of one.
 * Without this script the page has the picture of gnuplot, and the same table.
 *
 * anatomy.html has the elements that are filled here. What the table says becomes text, never
 * markup. The first and the last line let the page be read as XML as well.
 */
'use strict';

const LEFT = 54, RIGHT = 12, SERVER = 14, FIRST = 32, AXIS = 40; /* pixels of a picture */
const SIZE = 4; /* half of a glyph */
const NEAR = 16; /* the pointer is at a message as many pixels away */
const PLAY_MS = 5000, REST_MS = 1200; /* a handoff, and a rest behind it */
const LINES_MAX = 2000; /* with more clients, only the sessions that have messages get a line */

const number = (value, digits = 0) => value.toLocaleString('en', {maximumFractionDigits: digits});
const micros = (us) => `${number(us, 1)}\u00a0µs`;
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;
const isOf = (...kinds) => (message) => kinds.includes(message.kind);

/* ---------------------------------------------------------------- what was traced */

function readRows(root) {
    const table = root.parentElement.querySelector('table');
    const names = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent);
    const rows = Array.from(table.tBodies[0].rows).map((row) =>
        Object.fromEntries(names.map((name, i) => [name, row.cells[i].textContent])));
    return rows.filter(({time_us, session, latency_us}) =>
        [time_us, session, latency_us].every((text) => Number.isFinite(Number(text))));
}

/* The value of a key, which is made if there is none yet. */
const entry = (map, key, make) => map.has(key) ? map.get(key) : map.set(key, make()).get(key);

/* A reply is that of the first request of its session and operation that has none yet. The request
 * may be in the handoff before. */
function toMessages(rows) {
    const messages = [], unanswered = new Map();
    for (const {event, session, operation, status, wakes, time_us, latency_us} of rows) {
        const at = Number(time_us), queue = entry(unanswered, `${session} ${operation}`, () => []);
        const message = {kind: event, session: Number(session), operation, at, end: at,
            wakes: wakes === 'yes'};
        if (event === 'reply') {
            const sent = {...message, kind: 'request', at: at - Number(latency_us)};
            Object.assign(queue.shift() ?? messages[messages.push(sent) - 1], {end: at, status});
        } else {
            messages.push(message);
            if (event === 'request')
                queue.push(message);
        }
    }
    return messages.sort((a, b) => a.at - b.at);
}

function toHandoff(rows) {
    const messages = toMessages(rows);
    const sessions = (wanted) => new Set(messages.filter(wanted).map(({session}) => session));
    const count = (kind) => rows.filter(({event}) => event === kind).length;
    const granted = sessions(isOf('grant')), active = sessions(isOf('grant', 'release'));
    const woken = [...sessions(({wakes}) => wakes)];
    const inVain = woken.filter((session) => !granted.has(session));
    const grant = messages.find(isOf('grant')), to = Math.max(1, rows.at(-1).time_us);
    for (const message of messages) {
        message.idle = !active.has(message.session);
        if (message.kind === 'request' && message.status === undefined)
            message.end = to;
    }
    return {messages, active, waiters: rows[0].waiters, from: Math.min(0, rows[0].time_us), to,
        words: `${plural(woken.length, 'session')} woken, ${number(inVain.length)} of them for ` +
            `nothing; ${plural(count('notification'), 'notification')}, ` +
            `${plural(count('request'), 'request')}; ` +
            (grant ? `granted after ${micros(grant.at)}` : 'not granted')};
}

/* The lines of a trial, by session. */
function toPlaces(rows, clients) {
    const quiet = clients >= 1 && clients <= LINES_MAX ? Array(clients).keys() : [];
    const sessions = new Set([...quiet, ...rows.map(({session}) => Number(session))]);
    return new Map([...sessions].sort((a, b) => a - b).map((session, i) => [session, i]));
}

/* The trials with most clients first, of each the recipe with most messages. */
function toTrials(all) {
    const trials = new Map();
    for (const row of all) {
        const name = `${row.clients} clients, trial ${row.trial}, lock ${row.lock}`;
        const trial = entry(trials, name, () => ({rows: [], recipes: new Map()}));
        trial.rows.push(row);
        entry(trial.recipes, row.recipe, () => []).push(row);
    }
    const handoffsOf = (rows) => {
        const handoffs = new Map();
        rows.forEach((row) => entry(handoffs, row.handoff, () => []).push(row));
        return new Map([...handoffs].map(([handoff, some]) => [handoff, toHandoff(some)]));
    };
    return [...trials].map(([name, {rows, recipes}]) => ({
        name, clients: parseInt(name, 10), places: toPlaces(rows, parseInt(name, 10)),
        handoffs: [...new Set(rows.map(({handoff}) => handoff))].sort((a, b) => a - b),
        recipes: new Map([...recipes].sort(([, a], [, b]) => b.length - a.length)
            .map(([recipe, some]) => [recipe, handoffsOf(some)])),
    })).sort((a, b) => b.clients - a.clients);
}

function describe({kind, session, operation, at, end, status, wakes, idle}) {
    if (kind === 'release')
        return `Session ${session} begins to release the lock: the time counts from here.`;
    if (kind === 'grant')
        return `Session ${session} is granted the lock at ${micros(at)}.`;
    if (kind === 'notification')
        return `Session ${session} is notified at ${micros(at)}: ${operation}. ` + (wakes ?
            `It waited for that${idle ? ', and wakes for nothing' : ''}.` :
            'It did not wait for that.');
    return `Session ${session}: ${operation}, sent at ${micros(at)}, ` + (status === undefined ?
        'not answered in this handoff.' :
        `answered at ${micros(end)}, after ${micros(end - at)}: ${status}.`);
}

/* ---------------------------------------------------------------- the picture */

function put(parent, tag, attributes, text = '') {
    const element = document.createElementNS(parent.namespaceURI, tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.textContent = text;
    return parent.appendChild(element);
}

const glyphs = {
    request: (x, y, r, end) => `M${x},${y}H${Math.max(end - 2, x + 1)}`,
    notification: (x, y, r) =>
        `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
    release: (x, y, r) => `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    grant: (x, y, r) => `M${x},${y - 1.6 * r}l${1.6 * r},${2.8 * r}h${-3.2 * r}z`,
    refused: (x, y, r) => `M${x - r},${y - r}l${2 * r},${2 * r}m0,${-2 * r}l${-2 * r},${2 * r}`,
};

/* Between a session's line and the server's. */
const wires = ({session, at, end, status}, {x, y, from}) =>
    [at, end].slice(0, status === undefined ? 1 : 2).filter((us) => us >= from)
        .map((us) => `M${x(us)},${SERVER}V${y(session)}`).join('');

/* Messages that look alike are one path: a handoff may have thousands. */
function drawMessages(svg, {messages}, scale) {
    const {x, y, pitch} = scale;
    for (const idle of [true, false]) {
        const size = idle ? Math.min(SIZE, pitch / 3.2) : SIZE;
        const group = put(svg, 'g', {class: idle ? 'idle' : 'active'});
        const draw = (name, wanted, one) => put(group, 'path', {class: name,
            d: messages.filter((m) => m.idle === idle && wanted(m)).map(one).join('')});
        draw('notified', isOf('notification'), (m) => wires(m, scale));
        draw('asked', isOf('request'), (m) => wires(m, scale));
        for (const kind of ['request', 'notification', 'release', 'grant'])
            draw(kind, isOf(kind), (m) => glyphs[kind](x(m.at), y(m.session), size, x(m.end)));
        draw('refused', ({status = 'ok'}) => status !== 'ok', (m) =>
            glyphs.refused(x(m.end), y(m.session), size));
    }
    for (const {idle, status, operation, session, at, end} of messages) {
        if (!idle && status && x(end) - x(at) > 7 * operation.length + 8)
            put(svg, 'text', {x: (x(at) + x(end)) / 2, y: y(session) - 5, class: 'word'},
                operation);
    }
}

/* A step is 1, 2 or 5 times a power of ten, and at least 70 pixels. */
function drawAxis(svg, {x, from, to, width, bottom}) {
    const least = (to - from) * 70 / (width - LEFT - RIGHT);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= least);
    const unit = to > 2000 ? 1000 : 1;
    for (let us = Math.ceil(from / step) * step; us <= to; us += step) {
        put(svg, 'path', {class: 'grid', d: `M${x(us)},${SERVER}V${bottom + 4}`});
        put(svg, 'text', {x: x(us), y: bottom + 18}, number(us / unit, 3));
    }
    put(svg, 'text', {x: (LEFT + width - RIGHT) / 2, y: bottom + 35},
        `time since the release, ${unit === 1 ? 'µs' : 'ms'}`);
}

/* The sessions that act are always named, the others where there is room. */
function drawLines(svg, {active}, {places, y, pitch, width}) {
    const line = (at) => `M${LEFT - 6},${at}H${width - RIGHT}`;
    const name = (at, text, kind) => put(svg, 'text', {x: LEFT - 11, y: at + 4, class: kind}, text);
    const every = Math.ceil(13 / pitch), taken = [...active].map((session) => places.get(session));
    let free = 0;
    put(svg, 'path', {class: 'line', d: [...places.keys()].map((one) => line(y(one))).join('')});
    put(svg, 'path', {class: 'server', d: line(SERVER)});
    name(SERVER, 'server', 'name');
    for (const [session, place] of places) {
        if (active.has(session))
            name(free = Math.max(y(session), free + 13), session, 'name acts');
        else if (place % every === 0 && taken.every((other) => Math.abs(other - place) >= every))
            name(y(session), session, 'name');
    }
}

/* ---------------------------------------------------------------- a panel: one recipe */

const NOT_TRACED =
    {messages: [], active: new Set(), words: 'this handoff was not traced', from: 0, to: 1};

function makePanel(figure) {
    const [choice, svg, slider] =
        ['select', 'svg', 'input'].map((tag) => figure.querySelector(tag));
    const [summary, words] = figure.querySelectorAll('p');
    let handoff, scale, timer;

    /* The words wait until the pointer rests: they may be read aloud. */
    const show = (index) => {
        const message = handoff.messages[index], {x, y} = scale;
        const at = [x(message.at), y(message.session)];
        slider.value = index;
        slider.ariaValueText = `${index + 1} of ${handoff.messages.length}`;
        svg.querySelector('.mark')?.remove();
        const mark = put(svg, 'g', {class: 'mark'});
        put(mark, 'path', {d: wires(message, scale)});
        put(mark, 'path', {class: 'request', d: glyphs.request(...at, 0, x(message.end))});
        put(mark, 'path', {d: glyphs.notification(...at, SIZE + 3)});
        clearTimeout(timer);
        timer = setTimeout(() => words.textContent = describe(message), 100);
    };
    /* Where a point lies on a bar, the point is meant. */
    const distance = ({kind, at, end}, across) => Math.max(0,
        Math.max(scale.x(at) - across, across - scale.x(end)) -
            (kind === 'request' ? 0 : 1.6 * SIZE));
    svg.onpointermove = ({offsetX, offsetY}) => {
        const near = handoff.messages.filter((message) => distance(message, offsetX) <= NEAR &&
            Math.abs(scale.y(message.session) - offsetY) <= Math.max(scale.pitch / 2, 4));
        near.sort((a, b) => distance(a, offsetX) - distance(b, offsetX) ||
            (a.end - a.at) - (b.end - b.at));
        if (near.length > 0)
            show(handoff.messages.indexOf(near[0]));
    };
    slider.oninput = slider.onfocus = () => show(slider.valueAsNumber);

    const draw = (next, places, {from, to}) => {
        const width = svg.clientWidth, pitch = Math.min(16, Math.max(3, 380 / places.size));
        const bottom = FIRST + places.size * pitch;
        handoff = next;
        scale = {places, pitch, width, bottom, from, to,
            x: (us) => LEFT + Math.max(0, us - from) / (to - from) * (width - LEFT - RIGHT),
            y: (session) => FIRST + (places.get(session) + 0.5) * pitch};
        clearTimeout(timer);
        words.textContent = 'Point at a message, or move the slider through them.';
        summary.textContent = handoff.words;
        svg.ariaLabel = `${choice.value}: ${handoff.words}`;
        svg.setAttribute('height', bottom + AXIS);
        svg.style.setProperty('--bar', `${Math.min(3, pitch / 2)}px`);
        slider.disabled = handoff.messages.length === 0;
        slider.max = handoff.messages.length - 1;
        slider.value = 0;
        slider.ariaValueText = 'none';
        svg.replaceChildren();
        drawAxis(svg, scale);
        drawLines(svg, handoff, scale);
        drawMessages(svg, handoff, scale);
    };
    /* What comes after this part of the time is covered; 1: nothing is. */
    const playTo = (part) => {
        svg.querySelectorAll('.future, .now').forEach((one) => one.remove());
        if (part >= 1 || !scale)
            return;
        const {x, from, to, width, bottom} = scale, at = x(from + part * (to - from));
        const cover = {class: 'future', x: at, y: 0, width: width - at, height: bottom + 2};
        put(svg, 'rect', cover);
        put(svg, 'path', {class: 'now', d: `M${at},${SERVER}V${bottom}`});
    };
    return {figure, choice, draw, playTo};
}

/* ---------------------------------------------------------------- the handoffs of a run */

function start(root) {
    const trials = toTrials(readRows(root));
    const [pick, slider, alike] = ['select', '[type=range]', '[type=checkbox]']
        .map((selector) => root.querySelector(selector));
    const panels = Array.from(root.querySelectorAll('figure'), makePanel);
    const trial = () => trials[pick.selectedIndex];

    /* All handoffs one after another, slowed down, until the button or a slider is used. */
    const play = root.querySelector('button');
    let began = null;
    const stop = () => {
        began = null;
        play.textContent = 'Play';
        panels.forEach(({playTo}) => playTo(1));
    };
    const step = (now) => {
        if (began === null)
            return;
        began ||= now;
        panels.forEach(({playTo}) => playTo((now - began) / PLAY_MS));
        if (now - began > PLAY_MS + REST_MS) {
            if (slider.value === slider.max)
                return stop();
            slider.value++;
            draw();
            began = now;
            panels.forEach(({playTo}) => playTo(0));
        }
        requestAnimationFrame(step);
    };
    play.onclick = () => {
        if (began !== null)
            return stop();
        began = 0;
        play.textContent = 'Stop';
        if (slider.value === slider.max)
            slider.value = 0;
        draw();
        requestAnimationFrame(step);
    };

    const draw = () => {
        const {recipes, handoffs, places, clients} = trial(), name = handoffs[slider.value];
        const shown = panels.filter(({figure}) => !figure.hidden);
        const of = ({choice}) => recipes.get(choice.value).get(name) ?? NOT_TRACED;
        const scaled = !alike.checked ? shown.map(of) :
            shown.flatMap(({choice}) => [...recipes.get(choice.value).values()]);
        const domain = {from: Math.min(...scaled.map(({from}) => from)),
            to: Math.max(...scaled.map(({to}) => to))};
        const waiters = new Set(shown.map((panel) => of(panel).waiters).filter((some) => some));
        slider.ariaValueText = root.querySelector('b').textContent =
            `${name}: ${[...waiters].join(' or ')} of ${plural(clients, 'client')} waiting`;
        shown.forEach((panel) => panel.draw(of(panel), places, domain));
    };
    const refill = () => {
        const names = [...trial().recipes.keys()];
        slider.max = trial().handoffs.length - 1;
        slider.value = 0;
        panels.forEach(({figure, choice}, i) => {
            figure.hidden = i >= names.length;
            choice.replaceChildren(...names.map((recipe) => new Option(recipe)));
            choice.selectedIndex = i === 0 ? 0 : names.length - 1;
            choice.onchange = draw;
        });
        draw();
    };
    if (trials.length === 0)
        return;
    pick.replaceChildren(...trials.map(({name}) => new Option(name)));
    pick.onchange = refill;
    slider.oninput = alike.onchange = () => {
        stop();
        draw();
    };
    root.hidden = false;
    refill();
    let width = root.clientWidth;
    new ResizeObserver(() => {
        if (root.clientWidth !== width && root.clientWidth > 0) {
            width = root.clientWidth;
            draw();
        }
    }).observe(root);
}

document.querySelectorAll('.anatomy').forEach(start);
/*]]>*/

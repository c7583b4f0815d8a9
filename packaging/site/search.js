// Finds sections of the documentation by words; what there is lies in words.js, so no server is needed.
"use strict";

const top_ = document.documentElement.dataset.top;
const input = document.getElementById("search");
const list = document.getElementById("found");
const most = 12;
const titles = new Map(sections.filter(([, , , ], place) => place === 0 || sections[place - 1][0] !== sections[place][0])
    .map(([page, , heading]) => [page, heading]));

/** How well a section has the words: more in its heading than in its text; nothing where one is missing. */
function score([page, , heading, text], words) {
    let sum = 0;
    for (const word of words) {
        const inHeading = heading.toLowerCase().includes(word);
        const inTitle = titles.get(page).toLowerCase().includes(word);
        const count = text.toLowerCase().split(word).length - 1;
        if (!inHeading && !inTitle && !count) return 0;
        sum += (inHeading ? 10 : 0) + (inTitle ? 6 : 0) + Math.min(count, 5);
    }
    return sum * (/\/(guides|start)\//.test(page) ? 2 : 1);
}

/** Puts a text into an element, with the words marked. */
function tell(element, text, words) {
    const lower = text.toLowerCase();
    let place = 0;
    while (place < text.length) {
        const next = words.map((word) => [lower.indexOf(word, place), word.length]).filter(([at]) => at >= 0)
            .sort(([one], [other]) => one - other)[0];
        if (!next) break;
        const mark = document.createElement("mark");
        mark.textContent = text.slice(next[0], next[0] + next[1]);
        element.append(text.slice(place, next[0]), mark);
        place = next[0] + next[1];
    }
    element.append(text.slice(place));
}

function look() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word, _, all) => word.length > 1 || all.length === 1 && word);
    list.replaceChildren();
    list.hidden = words.length === 0;
    if (words.length === 0) return;
    const found = sections.map((section) => [score(section, words), section]).filter(([points]) => points > 0)
        .sort(([one], [other]) => other - one).slice(0, most);
    for (const [, [page, anchor, heading, text]] of found) {
        const item = list.appendChild(document.createElement("li"));
        const link = item.appendChild(document.createElement("a"));
        link.href = `${top_}${page}#${anchor}`;
        const title = titles.get(page);
        tell(link, heading === title ? title : `${title}: ${heading}`, words);
        const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50);
        tell(link.appendChild(document.createElement("small")), (at ? "…" : "") + text.slice(at, at + 160), words);
    }
    if (found.length === 0) list.appendChild(document.createElement("p")).textContent = "Nothing has these words.";
}

input.addEventListener("input", look);
document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== input) {
        event.preventDefault();
        input.focus();
    } else if (event.key === "Escape") {
        input.value = "";
        look();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length && (place >= 0 || document.activeElement === input)) {
        event.preventDefault();
        const next = place + (event.key === "ArrowDown" ? 1 : -1);
        (links[next] || input).focus();
    } else if (event.key === "Enter" && document.activeElement === input && links.length) {
        links[0].click();
    }
});

// A phone has no room for all pages beside the text.
if (matchMedia("(max-width: 50rem)").matches) document.querySelector(".menu").open = false;

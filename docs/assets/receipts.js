/* Receipts beside their numbers: on hover, focus or tap a card says where a number comes from.
 *
 * The page holds every receipt as a numbered note at its end, folded away unless it is printed or
 * there are no scripts. With this script a link to a note opens a card with its text; in a browser
 * without popovers it leads to the note.
 * Figures in tables and charts have a card as well; told.js makes its text.
 */

import { figures, rove, told, whole } from "./told.js";

const OPEN_AFTER = 120; // ms of hovering
const CLOSE_AFTER = 250; // ms, time to move the pointer into the card
const GAP = 6; // px between the number and its card, and between the card and the window's edge

const notes = document.querySelector(".receipts");
const links = document.querySelectorAll(`a[data-receipt], ${figures}`);

/** The notes unfold where the address leads to one of them, and on paper. */
function unfold(details) {
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target || !details.contains(target)) return;
    details.open = true;
    target.scrollIntoView();
  };
  let wasOpen = false;
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => ([wasOpen, details.open] = [details.open, true]));
  addEventListener("afterprint", () => (details.open = wasOpen));
  reveal();
}

/** The card: one for the page, moved behind the link that it belongs to. */
class Card {
  constructor() {
    this.element = document.createElement("div");
    this.element.className = "receipt-card";
    this.element.id = "receipt-card";
    this.element.popover = "manual";
    this.element.setAttribute("role", "dialog");
    this.link = null;
    this.pinned = false; // by a tap or a key: stays until it is closed
    this.timer = 0;
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", () => this.closeSoon());
    this.element.addEventListener("focusout", (event) => this.focusMoved(event.relatedTarget));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", (event) => this.pressed(event.target));
    addEventListener("resize", () => this.close());
  }

  attach(link) {
    link.setAttribute("aria-haspopup", "dialog");
    link.setAttribute("aria-expanded", "false");
    link.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "touch") this.openSoon(link);
    });
    link.addEventListener("pointerleave", () => this.closeSoon());
    link.addEventListener("focus", () => link.matches(":focus-visible") && this.open(link));
    link.addEventListener("blur", (event) => this.focusMoved(event.relatedTarget));
    link.addEventListener("click", (event) => this.clicked(event, link));
  }

  openSoon(link) {
    clearTimeout(this.timer);
    if (!this.pinned) this.timer = setTimeout(() => this.open(link), OPEN_AFTER);
  }

  closeSoon() {
    clearTimeout(this.timer);
    if (!this.pinned) this.timer = setTimeout(() => this.close(), CLOSE_AFTER);
  }

  clicked(event, link) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (this.link === link && this.pinned) {
      this.close();
      return;
    }
    this.open(link);
    this.pinned = this.link === link;
  }

  open(link) {
    clearTimeout(this.timer);
    if (this.link === link) return;
    this.close();
    if (link.matches(figures)) this.element.replaceChildren(told(link));
    else if (!this.copy(document.getElementById(link.hash.slice(1)))) return;
    this.link = link;
    const name = link.dataset.receipt ?? `of ${link.getAttribute("aria-label") ?? link.textContent}`;
    this.element.setAttribute("aria-label", `Receipt ${name}`);
    (link.ownerSVGElement ?? link).after(this.element);
    link.setAttribute("aria-expanded", "true");
    link.setAttribute("aria-controls", this.element.id); // styles tell an open one by it
    this.element.showPopover();
    this.place();
  }

  /** The note, and in the place of its references to captures what their notes say. */
  copy(note) {
    if (!note) return note;
    this.element.innerHTML = note.innerHTML;
    for (const capture of this.element.querySelectorAll("[data-note]")) {
      capture.replaceWith(...whole(capture.dataset.note));
    }
    return note;
  }

  /** Below the number if there is room, otherwise above; always within the window. */
  place() {
    const at = (this.link.querySelector(".chart__mark") ?? this.link).getClientRects()[0];
    const card = this.element.getBoundingClientRect();
    const below = at.bottom + GAP;
    const above = at.top - GAP - card.height;
    const fits = below + card.height <= innerHeight - GAP || above < GAP;
    const widest = document.documentElement.clientWidth - card.width - GAP;
    this.element.style.top = `${Math.max(GAP, fits ? below : above)}px`;
    this.element.style.left = `${Math.max(GAP, Math.min(at.left, widest))}px`;
  }

  close() {
    clearTimeout(this.timer);
    if (!this.link) return;
    this.link.setAttribute("aria-expanded", "false");
    this.link.removeAttribute("aria-controls");
    this.link = null;
    this.pinned = false;
    this.element.hidePopover();
    this.element.remove();
  }

  key(event) {
    if (event.key !== "Escape" || !this.link) return;
    const link = this.link;
    const inside = this.element.contains(document.activeElement);
    this.close();
    if (inside) {
      link.focus();
      this.close(); // focus opens the card again
    }
    event.stopPropagation();
  }

  pressed(target) {
    if (this.link && !this.element.contains(target) && !this.link.contains(target)) this.close();
  }

  focusMoved(to) {
    if (!this.pinned && to !== this.link && !this.element.contains(to)) this.close();
  }
}

if (notes) unfold(notes.querySelector("details"));
if (notes && HTMLElement.prototype.showPopover) {
  const card = new Card();
  for (const link of links) card.attach(link);
  for (const group of document.querySelectorAll(".evidence__table, .hardware__table, .drawing")) rove(group);
}

// Reads the document inside the page and builds the page from it.
import { buildPage } from "./page.js";
import { startFigures } from "./figure.js";
import { startTheme } from "./theme.js";

const report = JSON.parse(document.getElementById("document").textContent);
startTheme();
buildPage(report);
startFigures();
/** The target of an address may be folded away, and did not exist when the browser looked for it. */
function goTo() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  for (let d = target?.closest("details:not([open])"); d; d = d.parentElement?.closest("details:not([open])")) d.open = true;
  if (target) target.scrollIntoView();
}
window.addEventListener("hashchange", goTo);
goTo();
document.documentElement.dataset.ready = "yes";

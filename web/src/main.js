// Reads the document inside the page and builds the page from it.
import { buildPage } from "./page.js";
import { startFigures } from "./figure.js";
import { startTheme } from "./theme.js";

const report = JSON.parse(document.getElementById("document").textContent);
startTheme();
buildPage(report);
startFigures();
// The target of the address did not exist when the browser looked for it.
if (location.hash.length > 1) {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
}
document.documentElement.dataset.ready = "yes";

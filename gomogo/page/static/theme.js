// Runs before the page is drawn: marks that scripts run, and sets the chosen theme.
"use strict";
document.documentElement.classList.add("script");
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {} // the browser does not allow storage

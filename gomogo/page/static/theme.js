// Before the page is drawn: whether there are scripts, and the chosen theme.
"use strict";
document.documentElement.classList.add("script");
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {} // a browser that keeps nothing

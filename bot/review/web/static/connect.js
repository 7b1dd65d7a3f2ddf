// Hands the token of this window to the wiki's page that opened it, and to no other origin.
"use strict";
{
  const given = document.getElementById("connected").dataset;
  if (window.opener) {
    window.opener.postMessage({ formulaReview: given.token }, given.origin);
    window.close();
  }
}

// Starts the page. The home tab shows its first graph before the command is ready.
document.documentElement.lang = language;
document.querySelector('h1').before(languageLinks());
const showsFirst = /^#?(explain\b.*)?$/.test(location.hash);
if (showsFirst) openAddress();
window.addEventListener('hashchange', openAddress);

engine.ready.then(
  ({ fused }) => {
    $('state').textContent = fused
      ? 'Ready. Everything runs in this page; no data leaves it.'
      : 'Ready, but slow: this browser lacks a fused multiply-add, which is emulated.';
    if (!showsFirst) openAddress();
  },
  error => ($('state').textContent = `The command can't be loaded: ${error.message}.`),
);

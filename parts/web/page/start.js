// Starts the page. The home tab shows its first graph before the command is ready.
document.documentElement.lang = language;
$('state').textContent = shellTexts.loading;
document.querySelector('h1').before(languageLinks());
const showsFirst = /^#?(explain\b.*)?$/.test(location.hash);
if (showsFirst) openAddress();
window.addEventListener('hashchange', openAddress);

engine.ready.then(
  ({ fused }) => {
    $('state').textContent = fused ? shellTexts.ready : shellTexts.slow;
    $('state').classList.toggle('is-usual', fused);
    if (!showsFirst) openAddress();
  },
  error => ($('state').textContent = shellTexts.notLoaded(error.message)),
);

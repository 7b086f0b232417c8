// The page begins.

engine.ready.then(
  ({ fused }) => {
    $('state').textContent = fused
      ? 'Ready. All of it runs in this page; nothing leaves it.'
      : 'Ready, and slow: this browser has no fused multiply-add, so each is computed in software.';
    window.addEventListener('hashchange', openAddress);
    openAddress();
  },
  error => ($('state').textContent = `The command can't be loaded here: ${error.message}.`),
);

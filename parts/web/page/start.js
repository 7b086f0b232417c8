// Starts the page.

engine.ready.then(
  ({ fused }) => {
    $('state').textContent = fused
      ? 'Ready. Everything runs in this page; no data leaves it.'
      : 'Ready, but slow: this browser lacks a fused multiply-add, which is emulated.';
    window.addEventListener('hashchange', openAddress);
    openAddress();
  },
  error => ($('state').textContent = `The command can't be loaded: ${error.message}.`),
);

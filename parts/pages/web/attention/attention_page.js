// The page of `tapehead attention`, with only the viewer. The address contains the selection:
// #layer=0&head=1, with a selected weight also &query=9&key=3.
const { title, maps, image } = data;

function nameWindow() {
  document.title = `${viewer.title.textContent} · ${title}`;
}

function readAddress() {
  viewer.readAddress(new URLSearchParams(location.hash.slice(1)));
  nameWindow();
}

const viewer = new AttentionViewer({
  heading: 'h2',
  keysFrom: document,
  chosen() {
    history.replaceState(null, '', `#${viewer.address}`);
    nameWindow();
  },
});
document.documentElement.lang = language;
document.querySelector('h1').textContent = title;
document.querySelector('main').append(viewer.root);
viewer.show(maps, image);
readAddress();
window.addEventListener('hashchange', readAddress);

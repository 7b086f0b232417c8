// A page of one picture: what it shows in sentences, and the same as text.
document.querySelector('h1').textContent = data.title;
const picture = attributed(element('figure'), { style: 'max-width: 640px; margin: 16px 0' });
picture.innerHTML = data.picture;
attributed(picture.querySelector('svg'), { width: '100%', height: '100%' });
const text = attributed(element('pre', data.text, 'box'), { tabindex: 0 });
document
  .querySelector('main')
  .append(picture, ...data.lines.map(line => element('p', line)), text);

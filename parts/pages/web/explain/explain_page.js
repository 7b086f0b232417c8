// The static page of `explain`: one explainer in the whole page.
$('data') && document.querySelector('h1').replaceChildren(data.title);
document.querySelector('main').append(languageLinks());
const explainer = new Explainer(
  document.querySelector('main').appendChild(element('div')),
  data,
  { address: true },
);

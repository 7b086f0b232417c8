// Formulas, where KaTeX is there, and the command in the first page, once it is scrolled to.
for (const formula of document.querySelectorAll('div.math')) {
  if (window.katex) katex.render(formula.textContent, formula, {displayMode: true})
}

for (const place of document.querySelectorAll('.live')) {
  new IntersectionObserver(([seen], observer) => {
    if (!seen.isIntersecting) return
    observer.disconnect()
    const frame = document.createElement('iframe')
    const link = place.querySelector('a')
    frame.src = link.href
    frame.title = link.textContent
    place.prepend(frame)
  }, {threshold: 0.2}).observe(place)
}
